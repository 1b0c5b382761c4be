package devserver

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// params reads path and query parameters and collects what is wrong with them; ask err before using any.
type params struct {
	request  *http.Request
	query    url.Values
	problems []api.ValidationError
}

func newParams(r *http.Request) *params { return &params{request: r, query: r.URL.Query()} }

func (p *params) err() error {
	if len(p.problems) == 0 {
		return nil
	}
	return unprocessable(p.problems...)
}

func inQuery(name string) []api.LocStep { return []api.LocStep{api.Key("query"), api.Key(name)} }

func (p *params) add(name, kind, msg string) {
	p.problems = append(p.problems, api.ValidationError{Loc: inQuery(name), Msg: msg, Type: kind})
}

// report adds a problem that is found elsewhere.
func (p *params) report(problem api.ValidationError) { p.problems = append(p.problems, problem) }

// values are those of a parameter that may be there several times.
func (p *params) values(name string) []string { return p.query[name] }

// pathID reads a UUID of the path, in canonical form.
func (p *params) pathID(name string) string {
	id, err := uuid.Parse(p.request.PathValue(name))
	if err != nil {
		p.problems = append(p.problems, notUUID([]api.LocStep{api.Key("path"), api.Key(name)}, err))
	}
	return id.String()
}

// text is nil when the parameter is absent.
func (p *params) text(name string) *string {
	if !p.query.Has(name) {
		return nil
	}
	value := p.query.Get(name)
	return &value
}

// oneOf is text for an enumeration.
func (p *params) oneOf(name string, allowed []string) *string {
	value := p.text(name)
	if value != nil && !slices.Contains(allowed, *value) {
		p.problems = append(p.problems, notOneOf(inQuery(name), allowed, enumError))
	}
	return value
}

// list reads values that are separated by commas; nil when the parameter is absent.
func (p *params) list(name string) []string {
	value := p.text(name)
	if value == nil {
		return nil
	}
	values := strings.Split(*value, ",")
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	return values
}

// ids is list for UUIDs.
func (p *params) ids(name string) []string {
	return p.uuids(name, p.list(name))
}

// uuids are the values of a parameter in canonical form; nil when there are none.
func (p *params) uuids(name string, values []string) []string {
	for i, value := range values {
		id, err := uuid.Parse(value)
		if err != nil {
			p.problems = append(p.problems, notUUID(inQuery(name), err))
		}
		values[i] = id.String()
	}
	return values
}

// id is text for a UUID.
func (p *params) id(name string) *string {
	if !p.query.Has(name) {
		return nil
	}
	return &p.uuids(name, []string{p.query.Get(name)})[0]
}

// repeatedIDs reads a parameter that is there once for each UUID, at least once and at most high times.
func (p *params) repeatedIDs(name string, high int) []string {
	values := p.query[name]
	if len(values) == 0 {
		p.add(name, "missing", "Field required")
	}
	if len(values) > high {
		p.add(name, "too_long", "List should have at most "+strconv.Itoa(high)+" items after validation")
	}
	return p.uuids(name, values)
}

// flag reads a boolean that is false when absent.
func (p *params) flag(name string) bool {
	value := p.text(name)
	if value == nil {
		return false
	}
	set, err := strconv.ParseBool(strings.ToLower(*value))
	if err != nil {
		p.add(name, "bool_parsing", "Input should be a valid boolean, unable to interpret input")
	}
	return set
}

// optionalFlag is flag that is nil when absent.
func (p *params) optionalFlag(name string) *bool {
	if !p.query.Has(name) {
		return nil
	}
	set := p.flag(name)
	return &set
}

// jsonObject reads a parameter that is a JSON object; nil when it is absent or empty.
func (p *params) jsonObject(name string) any {
	text := p.text(name)
	if text == nil || *text == "" {
		return nil
	}
	value, err := parse([]byte(*text))
	if _, is := value.(map[string]any); err != nil || !is {
		p.add(name, "json_type", "Input should be a JSON object, such as {\"team\": \"a\"}")
	}
	return value
}

// page reads limit and offset with the bounds of every paged list.
func (p *params) page() store.Page {
	return store.Page{
		Limit:  p.integer("limit", 20, 1, 100),
		Offset: p.integer("offset", 0, 0, 0),
	}
}

// integer reads a number that is at least low and, unless high is zero, at most high.
func (p *params) integer(name string, absent, low, high int) int {
	value := p.text(name)
	if value == nil {
		return absent
	}
	n, err := strconv.Atoi(*value)
	switch {
	case err != nil:
		p.add(name, "int_parsing", "Input should be a valid integer, unable to parse string as an integer")
	case n < low:
		p.add(name, "greater_than_equal", "Input should be greater than or equal to "+strconv.Itoa(low))
	case high > 0 && n > high:
		p.add(name, "less_than_equal", "Input should be less than or equal to "+strconv.Itoa(high))
	}
	return n
}

// listOf is the wrapper of a page; its offset is where the next page starts. What stands there on the last page is not
// documented: here it is zero in extended dialects, which sends a client in circles that trusts it.
func listOf[T any](dialect *api.Dialect, resources []T, p store.Page) api.List[T] {
	page := api.List[T]{Resources: resources, Offset: int64(p.Offset + len(resources))}
	if dialect.Extended && len(resources) < p.Limit {
		page.Offset = 0
	}
	return page
}

// baseOf is where the client of a request reaches this server.
func baseOf(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
