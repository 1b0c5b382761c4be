package hostile

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// route is an endpoint with the names of its query parameters and the schema of its body.
type route struct {
	method, path string
	query        []string
	body         any // Nil if unknown.
}

// Request is a request without its address.
type Request struct {
	Method, Path string // The path includes the query.
	Header       http.Header
	Body         []byte
}

// Generator generates requests. It isn't safe for concurrent use.
type Generator struct {
	random  *rand.Rand
	routes  []route
	schemas map[string]any
	Known   []string // IDs to which requests refer, also from responses.
}

// New returns a generator of requests to the endpoints of an OpenAPI document, to those of the tracing service, which has none, such as
// "GET /runs/{run_id}", and to the pages. The same seed makes the same requests if the responses are the same.
func New(document []byte, tracing []string, seed uint64) (*Generator, error) {
	var d struct {
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	g := &Generator{random: rand.New(rand.NewPCG(seed, seed)), schemas: d.Components.Schemas}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			operation, is := d.Paths[path][method].(map[string]any)
			if !is {
				continue
			}
			r, err := routeOf(method, path, operation)
			if err != nil {
				return nil, err
			}
			g.routes = append(g.routes, r)
		}
	}
	for _, endpoint := range tracing {
		method, path, _ := strings.Cut(endpoint, " ")
		g.routes = append(g.routes, route{method: method, path: path, query: tracingQuery})
	}
	for _, page := range pages {
		g.routes = append(g.routes, route{method: http.MethodGet, path: page, query: pageQuery})
	}
	return g, nil
}

func routeOf(method, path string, operation map[string]any) (r route, err error) {
	text, err := json.Marshal(operation)
	if err != nil {
		return r, err
	}
	var o struct {
		Parameters  []struct{ Name, In string }
		RequestBody struct {
			Content map[string]struct{ Schema any }
		}
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return r, fmt.Errorf("%s %s: %w", method, path, err)
	}
	r = route{method: strings.ToUpper(method), path: path, body: o.RequestBody.Content["application/json"].Schema}
	for _, p := range o.Parameters {
		if p.In == "query" {
			r.query = append(r.query, p.Name)
		}
	}
	return r, nil
}

var pages = []string{
	"/", "/ui/deployments", "/ui/deployments/{deployment_id}", "/ui/events", "/ui/listeners", "/ui/integrations", "/ui/requests", "/ui/projects",
	"/ui/projects/{session_id}", "/ui/traces/{trace_id}", "/ui/runs/{run_id}", "/ui/workspaces/{workspace_id}/deployments",
}

var pageQuery = []string{"cursor", "name_contains", "range", "scope", "status"}

var tracingQuery = []string{
	"limit", "offset", "name", "name_contains", "id", "include_stats", "sort_by", "sort_by_desc", "filter", "metadata", "selects", "project_id", "cursor",
	"from", "to", "step", "min_start_time", "max_start_time", "page_size", "start_time", "end_time", "reference_free", "stats_start_time",
}

var answeredID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// Learn remembers the IDs in an answer, so that later requests refer to existing objects.
func (g *Generator) Learn(answer []byte) {
	for _, id := range answeredID.FindAll(answer[:min(len(answer), 4<<10)], 3) {
		g.Known = append(g.Known, string(id))
	}
	if most := 100; len(g.Known) > most {
		g.Known = slices.Clone(g.Known[len(g.Known)-most:])
	}
}

// Request returns the next request.
func (g *Generator) Request() (Request, error) {
	to := g.routes[g.random.IntN(len(g.routes))]
	path := placeholder.ReplaceAllStringFunc(to.path, g.segment)
	if query := g.query(to.query); query != "" {
		path += "?" + query
	}
	r := Request{Method: to.method, Path: path, Header: http.Header{}}
	var err error
	if to.method != http.MethodGet {
		if r.Body, err = g.body(to); err != nil {
			return r, err
		}
	}
	contentType := "application/json"
	if strings.HasSuffix(to.path, "/multipart") {
		contentType = "multipart/form-data; boundary=b"
		if r.Body, err = g.form(); err != nil {
			return r, err
		}
	}
	encoding := ""
	if g.one(10) {
		if r.Body, encoding, err = g.compressed(r.Body); err != nil {
			return r, err
		}
	}
	if g.one(20) {
		contentType = []string{"", "text/plain", "multipart/form-data", "a/b; c", "multipart/form-data; boundary=\"\""}[g.random.IntN(5)]
	}
	r.Header.Set("Content-Type", contentType)
	if encoding != "" {
		r.Header.Set("Content-Encoding", encoding)
	}
	if g.one(30) {
		r.Header.Set("X-Tenant-Id", g.id())
	}
	return r, nil
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

func (g *Generator) one(in int) bool { return g.random.IntN(in) == 0 }

func (g *Generator) id() string {
	switch {
	case g.one(10):
		return g.text()
	case g.one(5) || len(g.Known) == 0:
		return uuid.NewString()
	default:
		return g.Known[g.random.IntN(len(g.Known))]
	}
}

// segment returns the replacement for a placeholder in a path.
func (g *Generator) segment(string) string { return url.PathEscape(g.id()) }

func (g *Generator) query(names []string) string {
	query := url.Values{}
	for range g.random.IntN(4) {
		if len(names) == 0 {
			break
		}
		value := g.text()
		if g.one(2) {
			value = []string{"10", "1", "2026-05-02T10:00:00Z", "true", "asc", "name", "1h", g.id()}[g.random.IntN(8)]
		}
		query.Add(names[g.random.IntN(len(names))], value)
	}
	return query.Encode()
}

// texts are strings that commonly cause errors.
var texts = []string{
	"", " ", "\x00", "\xff\xfe", "null", "-1", "0", "1e400", "9223372036854775807", "9223372036854775808", "OTIyMzM3MjAzNjg1NDc3NTgwNw",
	"2026-13-41T99:99:99Z", "9999-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00Z", "../../etc/passwd", "%00", "<script>", "'; DROP TABLE runs; --",
	`and(eq(run_type, "llm"), search("x"))`, `has(metadata, '{"a": 1}')`, `or(`, `not(not(eq(name, "a")))`, `gt(latency, "1e400s")`, `eq(feedback_key, "a")`,
	"20260502T100000000000Zaaaaaaaa-1111-4000-8000-000000000000", "{}", "[]", "[[[[", `{"a":`, "\u202e", "ſ", "é", "1h", "-1ns", "1ns", "(a+)+$", "[",
}

func (g *Generator) text() string {
	if g.one(20) {
		return strings.Repeat(texts[g.random.IntN(len(texts))]+"x", g.random.IntN(1000))
	}
	return texts[g.random.IntN(len(texts))]
}

// value returns an arbitrary value.
func (g *Generator) value() any {
	switch g.random.IntN(10) {
	case 0:
		return nil
	case 1:
		return g.one(2)
	case 2:
		return json.Number([]string{"1e400", "-1", "0", "1e-400", "0.1", "9223372036854775808", "1E+2", "-0"}[g.random.IntN(8)])
	case 3:
		return []any{g.text(), g.id()}
	case 4:
		return map[string]any{g.text(): g.text(), "name": g.text()}
	case 5:
		return g.nested()
	case 6:
		return g.id()
	default:
		return g.text()
	}
}

func (g *Generator) nested() any {
	var v any = "deep"
	for range g.random.IntN(1500) {
		v = []any{v}
	}
	return v
}
