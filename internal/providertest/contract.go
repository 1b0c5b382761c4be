package providertest

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/errors"
	"github.com/pb33f/libopenapi-validator/helpers"
	"github.com/pb33f/libopenapi-validator/parameters"
	"github.com/pb33f/libopenapi-validator/paths"
	"github.com/pb33f/libopenapi-validator/radix"
	"github.com/pb33f/libopenapi-validator/requests"
	"github.com/pb33f/libopenapi-validator/responses"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
)

// langSmithDocument describes the publicly known API, with the order and descriptions of this project.
//
//go:embed testdata/langsmith.openapi.json
var langSmithDocument []byte

// LangSmithContract validates every message of the langsmith dialect. It is compiled once per process.
var LangSmithContract = sync.OnceValues(func() (*Contract, error) { return NewContract(langSmithDocument) })

// Contract is an OpenAPI document that allows only what it defines: any other path, parameter, field or status is a violation.
type Contract struct {
	model   *v3.Document
	options *config.ValidationOptions
	// query is the only validator with the library's strict mode: in bodies, that mode would forbid the fields of free-form objects,
	// so their schemas are closed instead.
	query     parameters.ParameterValidator
	params    parameters.ParameterValidator
	requests  requests.RequestBodyValidator
	responses responses.ResponseBodyValidator
	// obeyed has the paths whose parameters are valid, with a placeholder for each UUID.
	obeyed *sync.Map
}

// NewContract compiles a document.
func NewContract(document []byte) (*Contract, error) {
	amended, err := amend(document)
	if err != nil {
		return nil, err
	}
	parsed, err := libopenapi.NewDocument(amended)
	if err != nil {
		return nil, err
	}
	built, err := parsed.BuildV3Model()
	if err != nil {
		return nil, err
	}
	model := &built.Model
	options := config.NewValidationOptions(config.WithFormatAssertions(), config.WithPathTree(radix.BuildPathTree(model)))
	same := config.WithExistingOpts(options)
	return &Contract{
		model: model, options: options,
		query:     parameters.NewParameterValidator(model, same, config.WithStrictMode()),
		params:    parameters.NewParameterValidator(model, same),
		requests:  requests.NewRequestBodyValidator(model, same),
		responses: responses.NewResponseBodyValidator(model, same),
		obeyed:    &sync.Map{},
	}, nil
}

// Request returns the violations in a request.
func (c *Contract) Request(r *http.Request, body []byte) []string {
	item, problems, path := paths.FindPath(r, c.model, c.options)
	if len(problems) > 0 {
		return tell(problems)
	}
	r = r.Clone(r.Context()) // The validators replace its body.
	r.Body = io.NopCloser(bytes.NewReader(body))
	for _, check := range []func(*http.Request, *v3.PathItem, string) (bool, []*errors.ValidationError){
		c.pathParams,
		c.query.ValidateQueryParamsWithPathItem,
		c.params.ValidateSecurityWithPathItem,
		c.requests.ValidateRequestBodyWithPathItem,
	} {
		_, found := check(r, item, path)
		problems = append(problems, found...)
	}
	told := tell(problems)
	if helpers.ExtractOperation(r, item).RequestBody == nil && len(body) > 0 {
		told = append(told, fmt.Sprintf("there is a body of %d bytes, but none is documented", len(body)))
	}
	return told
}

// pathParams calls the library's validation, which compiles a schema each time, only once for each kind of path.
func (c *Contract) pathParams(r *http.Request, item *v3.PathItem, path string) (bool, []*errors.ValidationError) {
	kind := r.Method + " " + uuids.ReplaceAllString(r.URL.EscapedPath(), "<uuid>")
	if _, ok := c.obeyed.Load(kind); ok {
		return true, nil
	}
	ok, problems := c.params.ValidatePathParamsWithPathItem(r, item, path)
	if ok {
		c.obeyed.Store(kind, nil)
	}
	return ok, problems
}

// Response returns the violations in the response to a request.
func (c *Contract) Response(r *http.Request, status int, header http.Header, body []byte) []string {
	item, problems, path := paths.FindPath(r, c.model, c.options)
	if len(problems) > 0 {
		return tell(problems)
	}
	_, problems = c.responses.ValidateResponseBodyWithPathItem(r, &http.Response{
		StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
	}, item, path)
	told := tell(problems)
	if len(told) > 0 {
		return told
	}
	// The library accepts a missing body.
	documented := helpers.ExtractOperation(r, item).Responses.Codes.GetOrZero(strconv.Itoa(status))
	expected := documented.Content != nil && documented.Content.Len() > 0
	switch text := string(bytes.TrimSpace(body)); {
	case expected && (text == "" || text == "null"):
		told = append(told, fmt.Sprintf("the body is %q, but one is documented for status %d", text, status))
	case !expected && text != "":
		told = append(told, fmt.Sprintf("there is a body of %d bytes, but none is documented for status %d", len(body), status))
	}
	return told
}

// tell returns one line for each problem, in a stable order.
func tell(problems []*errors.ValidationError) []string {
	lines := map[string]bool{}
	for _, problem := range problems {
		for _, failure := range problem.SchemaValidationErrors {
			lines[cmp.Or(failure.FieldPath, "$")+": "+failure.Reason] = true
		}
		if len(problem.SchemaValidationErrors) == 0 {
			lines[problem.Message+": "+problem.Reason] = true
		}
	}
	return slices.Sorted(maps.Keys(lines))
}
