package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// Params reads path and query parameters and collects their problems; call Err before using any of them.
type Params struct {
	form.Problems

	request *http.Request
	query   url.Values
	known   map[string]bool // The parameters that were read.
}

// NewParams returns the parameters of a request.
func NewParams(r *http.Request) *Params {
	return &Params{request: r, query: r.URL.Query(), known: map[string]bool{}}
}

// InQuery is the location of a query parameter.
func InQuery(name string) []api.LocStep { return []api.LocStep{api.Key("query"), api.Key(name)} }

// Add reports a problem with a parameter.
func (p *Params) Add(name, kind, msg string) {
	p.Problems.Add(InQuery(name), kind, "%s", msg)
}

// Values returns all values of a parameter that may be repeated.
func (p *Params) Values(name string) []string {
	p.known[name] = true
	return p.bounded(name, p.query[name])
}

// bounded refuses a list that is too long, and returns the part that is worth checking.
func (p *Params) bounded(name string, values []string) []string {
	if len(values) <= limits.ListedIDs {
		return values
	}
	p.Add(name, "too_long", "List should have at most "+strconv.Itoa(limits.ListedIDs)+" items after validation")
	return values[:limits.ListedIDs]
}

// Members returns all values of a parameter that is an enumeration. Python writes a member of one as Type.MEMBER.
func (p *Params) Members(name string) []string {
	values := p.Values(name)
	for i, value := range values {
		values[i] = member(value)
	}
	return values
}

// member returns the value of an enumeration's member, which is its name in lower case.
func member(value string) string {
	if _, name, is := strings.Cut(value, "."); is && name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return value
}

// Ignore accepts parameters that have no meaning here.
func (p *Params) Ignore(names ...string) {
	for _, name := range names {
		p.known[name] = true
	}
}

// PathID reads a UUID from the path, in canonical form.
func (p *Params) PathID(name string) string {
	id, err := uuid.Parse(p.request.PathValue(name))
	if err != nil {
		p.Report(form.NotUUID([]api.LocStep{api.Key("path"), api.Key(name)}, err))
	}
	return id.String()
}

// Named reads what a path names by the UUID in one of its segments.
func Named[T any](c *Call, segment string, read func(tx *store.Tx, workspaceID, id string) (T, error)) (T, error) {
	p := c.Params()
	id := p.PathID(segment)
	if err := p.Err(); err != nil {
		var none T
		return none, err
	}
	return read(c.Tx, c.WorkspaceID, id)
}

// WithNamed is a handler that reads what the path names first.
func WithNamed[T any](named func(*Call) (T, error), work func(*Call, T) (Answer, error)) Handler {
	return func(c *Call) (Answer, error) {
		row, err := named(c)
		if err != nil {
			return Answer{}, err
		}
		return work(c, row)
	}
}

// Changing is WithNamed for requests with a body, which is decoded first: the service refuses a bad one whatever the path names.
func Changing[T, R any](named func(*Call) (T, error), work func(*Call, T, R) (Answer, error)) Handler {
	return Decoded(func(c *Call, request R) (Answer, error) {
		row, err := named(c)
		if err != nil {
			return Answer{}, err
		}
		return work(c, row, request)
	})
}

// Required is Text for a parameter that every request must have.
func (p *Params) Required(name string) string {
	value := p.Text(name)
	if value == nil {
		p.Add(name, "missing", "Field required")
	}
	return api.OrEmpty(value)
}

// Text returns nil if the parameter is absent.
func (p *Params) Text(name string) *string {
	p.known[name] = true
	if !p.query.Has(name) {
		return nil
	}
	value := p.query.Get(name)
	return &value
}

// OneOf is Text for an enumeration.
func (p *Params) OneOf(name string, allowed []string) *string {
	value := p.Text(name)
	if value == nil {
		return nil
	}
	*value = member(*value)
	if !slices.Contains(allowed, *value) {
		p.Report(form.NotOneOf(InQuery(name), allowed, form.EnumError))
	}
	return value
}

// List reads comma-separated values; nil if the parameter is absent.
func (p *Params) List(name string) []string {
	value := p.Text(name)
	if value == nil {
		return nil
	}
	values := p.bounded(name, strings.SplitN(*value, ",", limits.ListedIDs+1))
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	return values
}

// IDs is List for UUIDs.
func (p *Params) IDs(name string) []string {
	return p.UUIDs(name, p.List(name))
}

// UUIDs returns the values of a parameter in canonical form; nil if there are none.
func (p *Params) UUIDs(name string, values []string) []string {
	for i, value := range values {
		id, err := uuid.Parse(value)
		if err != nil {
			p.Report(form.NotUUID(InQuery(name), err))
		}
		values[i] = id.String()
	}
	return values
}

// ID is Text for a UUID.
func (p *Params) ID(name string) *string {
	value := p.Text(name)
	if value == nil {
		return nil
	}
	return &p.UUIDs(name, []string{*value})[0]
}

// RepeatedIDs reads a parameter that is repeated for each UUID, at least once and at most high times.
func (p *Params) RepeatedIDs(name string, high int) []string {
	values := p.Values(name)
	if len(values) == 0 {
		p.Add(name, "missing", "Field required")
	}
	if len(values) > high {
		p.Add(name, "too_long", "List should have at most "+strconv.Itoa(high)+" items after validation")
		values = values[:high]
	}
	return p.UUIDs(name, values)
}

// Unsupported refuses parameters of the service that this server doesn't have: without them, it would return a wrong result.
func (p *Params) Unsupported(names ...string) {
	for _, name := range names {
		if p.Text(name) != nil {
			p.Report(form.NotSupported(InQuery(name), name))
		}
	}
}

// Time reads a date-time; nil if the parameter is absent.
func (p *Params) Time(name string) *time.Time {
	text := p.Text(name)
	if text == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		p.Report(form.NotTime(InQuery(name), err))
	}
	return &at
}

// AnyTime reads a time in any form that the tracing service accepts; nil if the parameter is absent or empty.
func (p *Params) AnyTime(name string) *time.Time {
	text := p.Text(name)
	if text == nil || *text == "" {
		return nil
	}
	at, err := timestamp.Parse(*text)
	if err != nil {
		p.Add(name, "datetime_parsing", "Input should be a valid datetime, "+err.Error())
	}
	return &at
}

// Flag reads a boolean that defaults to false.
func (p *Params) Flag(name string) bool {
	value := p.Text(name)
	if value == nil {
		return false
	}
	set, err := strconv.ParseBool(strings.ToLower(*value))
	if err != nil {
		p.Add(name, "bool_parsing", "Input should be a valid boolean, unable to interpret input")
	}
	return set
}

// OptionalFlag is Flag, but nil if the parameter is absent.
func (p *Params) OptionalFlag(name string) *bool {
	if p.Text(name) == nil {
		return nil
	}
	return new(p.Flag(name))
}

// JSONObject reads a parameter whose value is a JSON object; nil if it is absent or empty.
func (p *Params) JSONObject(name string) any {
	text := p.Text(name)
	if text == nil || *text == "" {
		return nil
	}
	value, err := form.Parse([]byte(*text))
	if _, is := value.(map[string]any); err != nil || !is {
		p.Add(name, "json_type", "Input should be a JSON object, such as {\"team\": \"a\"}")
	}
	return value
}

// Page reads limit and offset with the bounds of every paged list.
func (p *Params) Page() store.Page {
	return store.Page{
		Limit:  p.Integer("limit", 20, 1, limits.Page),
		Offset: p.Integer("offset", 0, 0, 0),
	}
}

// Integer reads a number that is at least low and, unless high is zero, at most high.
func (p *Params) Integer(name string, absent, low, high int) int {
	value := p.Text(name)
	if value == nil {
		return absent
	}
	n, err := strconv.Atoi(*value)
	switch {
	case err != nil:
		p.Add(name, "int_parsing", "Input should be a valid integer, unable to parse string as an integer")
	case n < low:
		p.Add(name, "greater_than_equal", "Input should be greater than or equal to "+strconv.Itoa(low))
	case high > 0 && n > high:
		p.Add(name, "less_than_equal", "Input should be less than or equal to "+strconv.Itoa(high))
	}
	return n
}

// ListOf wraps a page; its offset is where the next page starts. Its value on the last page is not documented. Here it is
// zero in extended dialects, which makes clients that rely on it loop forever.
func ListOf[T any](dialect *api.Dialect, resources []T, p store.Page) api.List[T] {
	page := api.List[T]{Resources: resources, Offset: int64(p.Offset + len(resources))}
	if dialect.LangSmithAPI && len(resources) < p.Limit {
		page.Offset = 0
	}
	return page
}

// BaseURL is the URL at which the client of a request reaches this server, perhaps through a proxy.
func BaseURL(r *http.Request) string { return ArrivalOf(r.Context()).Scheme + "://" + r.Host }

// SelfHosted is the prefix below which self-hosted installations serve the control plane.
const SelfHosted = "/api-host"

// ClientURL is BaseURL with the prefix that the client has used.
func ClientURL(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, SelfHosted+"/") {
		return BaseURL(r) + SelfHosted
	}
	return BaseURL(r)
}
