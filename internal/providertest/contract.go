package providertest

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// langSmithDocument contains what is publicly known of the API, in our own order and with our own descriptions.
//
//go:embed testdata/langsmith.openapi.json
var langSmithDocument []byte

// LangSmithContract defines what every message of the langsmith dialect must look like. It is compiled once per process.
var LangSmithContract = sync.OnceValues(func() (*Contract, error) { return NewContract(langSmithDocument) })

// Contract is an OpenAPI document that allows only what it mentions: any other path, parameter, field or status violates it.
type Contract struct {
	operations []operation
	// prefixes are the paths of the document's servers, which may precede every path.
	prefixes []string
}

// operation is a method of a path.
type operation struct {
	method string
	// segments are of the path. Those in braces are parameters.
	segments   []string
	parameters []parameter
	// security has the headers of which a request needs all, alternatives of them. None means that anybody may call it.
	security [][]string
	// request has the schemas of the request body by content type, and responses those of the responses by status. There are
	// none where no body is documented, and a nil schema allows any body.
	request   bodies
	responses map[string]bodies
}

type bodies map[string]*jsonschema.Schema

// parameter is in the "path" or the "query".
type parameter struct {
	in, name string
	required bool
	// kind is the JSON type of the value, and of its elements if it is repeated.
	kind     string
	repeated bool
	schema   *jsonschema.Schema
}

// Request returns the problems of a request that violates the contract.
func (c *Contract) Request(r *http.Request, body []byte) []string {
	o, segments := c.find(r)
	if o == nil {
		return []string{undocumented(r)}
	}
	problems := append(o.checkParameters(segments, r.URL.Query()), o.checkSecurity(r.Header)...)
	switch {
	case len(o.request) > 0:
		problems = append(problems, o.request.check(r.Header, body)...)
	case len(body) > 0:
		problems = append(problems, fmt.Sprintf("there is a body of %d bytes, but none is documented", len(body)))
	}
	slices.Sort(problems)
	return problems
}

// Response returns the problems of a response that violates the contract.
func (c *Contract) Response(r *http.Request, status int, header http.Header, body []byte) []string {
	o, _ := c.find(r)
	if o == nil {
		return []string{undocumented(r)}
	}
	documented, known := o.responses[strconv.Itoa(status)]
	text := string(bytes.TrimSpace(body))
	switch {
	case !known:
		return []string{fmt.Sprintf("status %d is not documented", status)}
	case len(documented) == 0 && text != "":
		return []string{fmt.Sprintf("there is a body of %d bytes, but none is documented for status %d", len(body), status)}
	case len(documented) == 0:
		return nil
	case text == "" || text == "null":
		return []string{fmt.Sprintf("the body is %q, but one is documented for status %d", text, status)}
	}
	return documented.check(header, body)
}

func undocumented(r *http.Request) string {
	return fmt.Sprintf("%s %s is not documented", r.Method, r.URL.Path)
}

// find returns the operation that a request calls, and the segments of its path. Of several paths, it is the one with the fewest
// parameters.
func (c *Contract) find(r *http.Request) (*operation, []string) {
	path := r.URL.EscapedPath()
	for _, prefix := range c.prefixes {
		if rest, found := strings.CutPrefix(path, prefix); found && strings.HasPrefix(rest, "/") {
			path = rest
			break
		}
	}
	segments := strings.Split(path, "/")
	var best *operation
	for i := range c.operations {
		o := &c.operations[i]
		if o.method == r.Method && o.matches(segments) && (best == nil || len(o.names()) < len(best.names())) {
			best = o
		}
	}
	return best, segments
}

func (o *operation) matches(segments []string) bool {
	return slices.EqualFunc(o.segments, segments, func(own, segment string) bool {
		return own == segment || strings.HasPrefix(own, "{") && segment != ""
	})
}

// names returns the names of the parameters in the path, by their index in it.
func (o *operation) names() map[int]string {
	names := map[int]string{}
	for i, segment := range o.segments {
		if name, found := strings.CutPrefix(segment, "{"); found {
			names[i] = strings.TrimSuffix(name, "}")
		}
	}
	return names
}

func (o *operation) checkParameters(segments []string, query url.Values) []string {
	given := map[string]url.Values{"path": {}, "query": query}
	for i, name := range o.names() {
		text, err := url.PathUnescape(segments[i])
		if err != nil {
			return []string{err.Error()}
		}
		given["path"][name] = []string{text}
	}
	var problems, documented []string
	for _, p := range o.parameters {
		values, found := given[p.in][p.name]
		if p.in == "query" {
			documented = append(documented, p.name)
		}
		where := p.in + " parameter " + p.name
		switch {
		case found:
			problems = append(problems, violations(where, p.schema, p.value(values))...)
		case p.required:
			problems = append(problems, where+" is missing")
		}
	}
	for name := range query {
		if !slices.Contains(documented, name) {
			problems = append(problems, fmt.Sprintf("query parameter %s is not documented: there are %q", name, documented))
		}
	}
	return problems
}

// value is what a schema can check of texts.
func (p *parameter) value(texts []string) any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = text
		if p.kind == "string" {
			continue
		}
		if value, err := jsonschema.UnmarshalJSON(strings.NewReader(text)); err == nil {
			values[i] = value
		}
	}
	if p.repeated {
		return values
	}
	if len(values) > 1 {
		return values // Which no schema of a single value allows.
	}
	return values[0]
}

func (o *operation) checkSecurity(header http.Header) []string {
	if len(o.security) == 0 || slices.ContainsFunc(o.security, func(headers []string) bool {
		return !slices.ContainsFunc(headers, func(name string) bool { return header.Get(name) == "" })
	}) {
		return nil
	}
	return []string{fmt.Sprintf("a request needs the headers of one of %q", o.security)}
}

func (b bodies) check(header http.Header, body []byte) []string {
	contentType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	schema, documented := b[contentType]
	if err != nil || !documented {
		return []string{fmt.Sprintf("content type %q is not documented: there are %q", header.Get("Content-Type"), slices.Sorted(maps.Keys(b)))}
	}
	if schema == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return []string{"body: " + err.Error()}
	}
	return violations("body", schema, value)
}

// violations are what a schema doesn't allow of a value, each with a JSON pointer behind the name of the value.
func violations(name string, schema *jsonschema.Schema, value any) []string {
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(value); err == nil {
		return nil
	} else if !errors.As(err, &invalid) {
		return []string{name + ": " + err.Error()}
	}
	lines := map[string]bool{}
	var collect func(unit *jsonschema.OutputUnit)
	collect = func(unit *jsonschema.OutputUnit) {
		for i := range unit.Errors {
			collect(&unit.Errors[i])
		}
		if len(unit.Errors) == 0 {
			lines[fmt.Sprintf("%s%s: %s", name, unit.InstanceLocation, unit.Error)] = true
		}
	}
	collect(invalid.DetailedOutput())
	return slices.Sorted(maps.Keys(lines))
}
