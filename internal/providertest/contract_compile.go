package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contractURL names the document for the compiler of schemas, which finds nothing there.
const contractURL = "file:///contract.json"

// openAPI is the part of an OpenAPI 3.1 document that a contract needs.
type openAPI struct {
	Servers []struct {
		URL string `json:"url"`
	} `json:"servers"`
	Paths      map[string]map[string]openAPIOperation `json:"paths"`
	Components struct {
		Responses       map[string]openAPIBody `json:"responses"`
		SecuritySchemes map[string]struct {
			// Name is the header of an API key.
			Name string `json:"name"`
		} `json:"securitySchemes"`
	} `json:"components"`
}

type openAPIOperation struct {
	Parameters []struct {
		In       string        `json:"in"`
		Name     string        `json:"name"`
		Required bool          `json:"required"`
		Schema   openAPISchema `json:"schema"`
	} `json:"parameters"`
	RequestBody openAPIBody            `json:"requestBody"`
	Responses   map[string]openAPIBody `json:"responses"`
	Security    []map[string][]string  `json:"security"`
}

// openAPIBody is a body or a response. Ref leads to a response among the components.
type openAPIBody struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"content"`
}

// openAPISchema is what decides how the text of a parameter is read.
type openAPISchema struct {
	Type  string          `json:"type"`
	AnyOf []openAPISchema `json:"anyOf"`
	Items *openAPISchema  `json:"items"`
}

// kind is the JSON type of a value; null can't be written in a URL.
func (s *openAPISchema) kind() string {
	if i := slices.IndexFunc(s.AnyOf, func(of openAPISchema) bool { return of.Type != "null" }); i >= 0 {
		return s.AnyOf[i].kind()
	}
	return s.Type
}

// contractCompiler makes a contract of a document.
type contractCompiler struct {
	document openAPI
	schemas  *jsonschema.Compiler
}

// NewContract compiles a document.
func NewContract(document []byte) (*Contract, error) {
	amended, err := amend(document)
	if err != nil {
		return nil, err
	}
	c := contractCompiler{schemas: jsonschema.NewCompiler()}
	if err := json.Unmarshal(amended, &c.document); err != nil {
		return nil, err
	}
	if len(c.document.Paths) == 0 {
		return nil, errors.New("the document has no paths")
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(amended))
	if err != nil {
		return nil, err
	}
	c.schemas.AssertFormat()
	if err := c.schemas.AddResource(contractURL, tree); err != nil {
		return nil, err
	}
	return c.compile()
}

func (c *contractCompiler) compile() (*Contract, error) {
	contract := &Contract{}
	for _, server := range c.document.Servers {
		_, address, _ := strings.Cut(server.URL, "://") // It may have a variable for the host, which is no URL.
		if _, path, found := strings.Cut(strings.TrimSuffix(address, "/"), "/"); found {
			contract.prefixes = append(contract.prefixes, "/"+path)
		}
	}
	for path, operations := range c.document.Paths {
		for method, described := range operations {
			o, err := c.operation(described, "paths", path, method)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			o.method, o.segments = strings.ToUpper(method), strings.Split(path, "/")
			contract.operations = append(contract.operations, o)
		}
	}
	return contract, nil
}

// operation compiles what is described at a location of the document.
func (c *contractCompiler) operation(described openAPIOperation, at ...string) (operation, error) {
	o := operation{responses: map[string]bodies{}}
	for i, p := range described.Parameters {
		schema, err := c.schema(append(slices.Clone(at), "parameters", fmt.Sprint(i), "schema")...)
		if err != nil {
			return o, err
		}
		compiled := parameter{in: p.In, name: p.Name, required: p.Required, kind: p.Schema.kind(), schema: schema}
		if p.Schema.Items != nil {
			compiled.repeated, compiled.kind = true, p.Schema.Items.kind()
		}
		o.parameters = append(o.parameters, compiled)
	}
	for _, alternative := range described.Security {
		var headers []string
		for name := range alternative {
			header := c.document.Components.SecuritySchemes[name].Name
			if header == "" {
				header = "Authorization"
			}
			headers = append(headers, header)
		}
		o.security = append(o.security, headers)
	}
	var err error
	if o.request, err = c.bodies(described.RequestBody, append(slices.Clone(at), "requestBody")...); err != nil {
		return o, err
	}
	for status, response := range described.Responses {
		if o.responses[status], err = c.bodies(response, append(slices.Clone(at), "responses", status)...); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (c *contractCompiler) bodies(described openAPIBody, at ...string) (bodies, error) {
	if name, found := strings.CutPrefix(described.Ref, "#/components/responses/"); found {
		return c.bodies(c.document.Components.Responses[name], "components", "responses", name)
	}
	compiled := bodies{}
	for contentType, content := range described.Content {
		compiled[contentType] = nil
		if content.Schema == nil {
			continue
		}
		schema, err := c.schema(append(slices.Clone(at), "content", contentType, "schema")...)
		if err != nil {
			return nil, err
		}
		compiled[contentType] = schema
	}
	return compiled, nil
}

// schema compiles the schema at a location of the document.
func (c *contractCompiler) schema(at ...string) (*jsonschema.Schema, error) {
	pointer := strings.Builder{}
	for _, token := range at {
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return c.schemas.Compile(contractURL + "#" + (&url.URL{Path: pointer.String()}).EscapedPath())
}
