package devserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// IDs in requests: of an object that exists, and of one that doesn't yet.
const (
	knownID = "aaaaaaaa-1111-4000-8000-000000000000"
	newID   = "bbbbbbbb-2222-4000-8000-000000000000"
)

// endpoint is an operation of the OpenAPI document, which isn't derived from our code, an endpoint of the tracing service, or a page.
type endpoint struct {
	method, path string
	parameters   []string
	body         any // A valid one; nil if there is none.
}

// sent is a request.
type sent struct {
	method, target, contentType, encoding, tenant string
	body                                          []byte
}

func endpoints(tb testing.TB) []endpoint {
	tb.Helper()
	text, err := os.ReadFile("../providertest/testdata/langsmith.openapi.json")
	assert.Must(tb, err)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ Name, In string }
			RequestBody struct {
				Content map[string]struct{ Schema any }
			}
		}
		Components struct{ Schemas map[string]any }
	}
	assert.Must(tb, json.Unmarshal(text, &document))
	var all []endpoint
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			operation := document.Paths[path][method]
			e := endpoint{method: strings.ToUpper(method), path: path}
			for _, p := range operation.Parameters {
				if p.In == "query" {
					e.parameters = append(e.parameters, p.Name)
				}
			}
			if schema := operation.RequestBody.Content["application/json"].Schema; schema != nil {
				e.body = conforming(document.Components.Schemas, schema, 0)
			}
			all = append(all, e)
		}
	}
	server, err := New(Config{})
	assert.Must(tb, err)
	defer server.Close()
	for _, undocumented := range server.Undocumented() {
		method, path, _ := strings.Cut(undocumented, " ")
		if strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/api/") {
			continue // Another path of the same endpoint.
		}
		e := endpoint{method, path, tracingParameters, nil}
		if method != http.MethodGet && method != http.MethodDelete {
			e.body = tracingBody(path)
		}
		all = append(all, e)
	}
	for _, path := range uiPages {
		all = append(all, endpoint{http.MethodGet, path, uiParameters, nil})
	}
	return all
}

// conforming returns a value of a schema of the document.
func conforming(schemas map[string]any, schema any, depth int) any {
	s, is := schema.(map[string]any)
	if !is || depth > 8 {
		return nil
	}
	if ref, is := s["$ref"].(string); is {
		return conforming(schemas, schemas[ref[strings.LastIndex(ref, "/")+1:]], depth+1)
	}
	for _, choice := range []string{"anyOf", "oneOf", "allOf"} {
		if of, is := s[choice].([]any); is && len(of) > 0 {
			return conforming(schemas, of[0], depth+1)
		}
	}
	if values, is := s["enum"].([]any); is {
		return values[0]
	}
	switch s["type"] {
	case "object":
		object := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		for name, property := range properties {
			object[name] = conforming(schemas, property, depth+1)
		}
		return object
	case "array":
		return []any{conforming(schemas, s["items"], depth+1)}
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "string":
		if s["format"] == "uuid" {
			return knownID
		}
		return "agent-" + newID
	default:
		return nil
	}
}

var uiPages = []string{
	"/", "/ui/deployments", "/ui/deployments/{deployment_id}", "/ui/listeners", "/ui/integrations", "/ui/requests", "/ui/projects",
	"/ui/projects/{session_id}", "/ui/traces/{trace_id}", "/ui/runs/{run_id}", "/ui/workspaces/{workspace_id}/deployments",
}

var uiParameters = []string{"cursor", "name_contains", "range", "scope", "status"}

var tracingParameters = []string{
	"limit", "offset", "name", "name_contains", "id", "include_stats", "sort_by", "sort_by_desc", "filter", "metadata", "selects", "project_id", "cursor",
	"from", "to", "step", "min_start_time", "max_start_time", "page_size", "start_time", "end_time", "reference_free", "stats_start_time",
}

// tracingBody returns a valid body for a path of the tracing service or below /dev.
func tracingBody(path string) any {
	query := map[string]any{
		"session": []any{knownID}, "is_root": true, "filter": `eq(name, "agent")`, "limit": 10, "trace_filter": `eq(name, "agent")`,
		"start_time": "2026-05-01T00:00:00Z",
	}
	child := tracedRun()
	child["trace_id"], child["parent_run_id"], child["dotted_order"] = knownID, knownID, "20260502T100000000000Z"+knownID+".20260502T100000000000Z"+newID
	switch {
	case strings.HasSuffix(path, "/batch"):
		return map[string]any{"post": []any{tracedRun()}, "patch": []any{child}}
	case strings.HasSuffix(path, "/stats"):
		query["group_by"] = map[string]any{"attribute": "metadata", "path": "team", "max_groups": 3}
		return query
	case strings.HasSuffix(path, "/query"), strings.HasSuffix(path, "/group"):
		return query
	case strings.Contains(path, "/model-price-map"):
		return map[string]any{"name": newID, "match_pattern": "^example", "prompt_cost": 0.001, "completion_cost": "0.002", "provider": "a"}
	case strings.Contains(path, "/sessions"):
		return map[string]any{"name": newID, "description": "d", "extra": map[string]any{"metadata": map[string]any{"a": 1}}, "end_time": "2026-05-02T10:00:00Z"}
	case strings.Contains(path, "/feedback"):
		return map[string]any{"id": newID, "run_id": knownID, "key": "correct", "feedback_key": "correct", "score": 1, "value": "yes", "comment": "c",
			"feedback_source": map[string]any{"type": "api", "metadata": map[string]any{"a": 1}}, "feedback_config": map[string]any{"type": "continuous", "min": 0}}
	case strings.Contains(path, "/runs"):
		return tracedRun()
	default:
		return map[string]any{"repo_url": "https://git.example.com/example-org/chat", "ref": "main", "name": newID, "compute_type": "k8s", "compute_id": newID,
			"compute_config": map[string]any{"k8s_namespaces": []any{"a"}}, "version": "1"}
	}
}

func tracedRun() map[string]any {
	return map[string]any{"id": newID, "trace_id": newID, "dotted_order": "20260502T100000000000Z" + newID, "name": "agent", "run_type": "llm",
		"start_time": "2026-05-02T10:00:00Z", "inputs": map[string]any{"messages": []any{map[string]any{"role": "user", "content": "hi"}}},
		"outputs":      map[string]any{"usage_metadata": map[string]any{"input_tokens": 3, "output_tokens": 4, "total_cost": 0.5}},
		"session_name": "a", "tags": []any{"x"}, "extra": map[string]any{"metadata": map[string]any{"team": "red", "thread_id": "t"}},
		"events": []any{map[string]any{"name": "new_token", "time": "2026-05-02T10:00:01Z"}}}
}

// wrongTexts and wrongValues are what commonly causes errors.
var wrongTexts = []string{
	"", " ", "\x00", "\xff\xfe", "null", "-1", "0", "1e400", "9223372036854775807", "9223372036854775808", "OTIyMzM3MjAzNjg1NDc3NTgwNw",
	"2026-13-41T99:99:99Z", "9999-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00Z", "../../etc/passwd", "%00", "<script>", "'; DROP TABLE runs; --",
	`and(eq(run_type, "llm"), search("x"))`, `has(metadata, '{"a": 1}')`, `or(`, `not(not(eq(name, "a")))`, `gt(latency, "1e400s")`, `eq(feedback_key, "a")`,
	"20260502T100000000000Z" + knownID, "{}", "[]", "[[[[", `{"a":`, "\u202e", "ſ", "é", "1h", "-1ns", "1ns", "(a+)+$", "[", strings.Repeat("é", 4000),
	knownID, newID, "10", "true", "asc", "name", "2026-05-02T10:00:00Z",
}

var wrongValues = func() []any {
	deep := any("deep")
	for range 1500 {
		deep = []any{deep}
	}
	values := []any{nil, true, deep, []any{}, []any{"a", knownID}, map[string]any{}, map[string]any{"name": "a", "\x00": ""}}
	for _, number := range []json.Number{"1e400", "-1", "0", "1e-400", "0.1", "9223372036854775808", "1E+2", "-0"} {
		values = append(values, number)
	}
	for _, text := range wrongTexts {
		values = append(values, text)
	}
	return values
}()

// spoiled yields a value with each of wrongValues in each place, and without each of its members.
func spoiled(value any, yield func(any)) {
	for _, wrong := range wrongValues {
		yield(wrong)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			changed := maps.Clone(v)
			delete(changed, name)
			yield(changed)
			spoiled(v[name], func(member any) {
				changed[name] = member
				yield(changed)
			})
		}
	case []any:
		if len(v) > 0 {
			spoiled(v[0], func(element any) { yield(append([]any{element}, v[1:]...)) })
		}
	}
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// valid returns a valid request to an endpoint.
func (e endpoint) valid(tb testing.TB) sent {
	tb.Helper()
	s := sent{method: e.method, target: placeholder.ReplaceAllString(e.path, knownID), contentType: "application/json"}
	if e.body != nil {
		s.body = marshaled(tb, e.body)
	}
	if strings.HasSuffix(e.path, "/multipart") {
		s.contentType, s.body = "multipart/form-data; boundary=b", part("post."+newID, "application/json", string(s.body))
	}
	return s
}

// malformed yields requests to an endpoint, each with one thing wrong.
func (e endpoint) malformed(tb testing.TB, yield func(sent)) {
	tb.Helper()
	valid := e.valid(tb)
	changed := func(change func(*sent)) {
		s := valid
		change(&s)
		yield(s)
	}
	for _, text := range wrongTexts {
		if strings.Contains(e.path, "{") {
			changed(func(s *sent) { s.target = placeholder.ReplaceAllString(e.path, url.PathEscape(text)) })
		}
		for _, name := range e.parameters {
			changed(func(s *sent) { s.target += "?" + url.Values{name: {text}}.Encode() })
		}
		changed(func(s *sent) { s.tenant = text })
	}
	if e.body == nil {
		return
	}
	for _, contentType := range []string{"", "text/plain", "multipart/form-data", "a/b; c", `multipart/form-data; boundary=""`} {
		changed(func(s *sent) { s.contentType = contentType })
	}
	for _, encoding := range []string{"gzip", "zstd", "br", "identity"} {
		changed(func(s *sent) { s.encoding = encoding })
		packed := packed(tb, encoding, valid.body)
		changed(func(s *sent) { s.encoding, s.body = encoding, packed })
		changed(func(s *sent) { s.encoding, s.body = encoding, packed[:len(packed)/2] })
	}
	changed(func(s *sent) { s.body = s.body[:len(s.body)/2] })
	if strings.HasSuffix(e.path, "/multipart") {
		for _, name := range []string{"post.", "patch.", "feedback.", "attachment.", "", "post." + knownID + ".inputs", "post." + newID + ".file"} {
			for _, contentType := range []string{"application/json", "text/plain", "", "application/json; length=3", "image/png; length=1"} {
				changed(func(s *sent) { s.body = part(name, contentType, `{"a":1}`) })
			}
		}
	}
	spoiled(e.body, func(body any) {
		text := marshaled(tb, body)
		if strings.HasSuffix(e.path, "/multipart") {
			text = part("post."+newID, "application/json", string(text))
		}
		changed(func(s *sent) { s.body = text })
	})
}

func marshaled(tb testing.TB, value any) []byte {
	tb.Helper()
	text, err := json.Marshal(value)
	assert.Must(tb, err)
	return text
}

func part(name, contentType, content string) []byte {
	return fmt.Appendf(nil, "--b\r\nContent-Disposition: form-data; name=%q\r\nContent-Type: %s\r\n\r\n%s\r\n--b--\r\n", name, contentType, content)
}

func packed(tb testing.TB, encoding string, body []byte) []byte {
	tb.Helper()
	var to bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&to)
	case "zstd":
		var err error
		if w, err = zstd.NewWriter(&to); err != nil {
			tb.Fatal(err)
		}
	default:
		return body
	}
	_, err := w.Write(body)
	assert.Must(tb, errors.Join(err, w.Close()))
	return to.Bytes()
}
