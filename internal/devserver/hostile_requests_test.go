package devserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
)

// TestHostileRequests_unraced sends nearly valid requests to every endpoint: bodies as in the OpenAPI document, or those
// of the tracing service, most of them malformed. Every failure must be reported as the client's error, and
// no memory may leak. AGENTPLANE_TEST_REQUESTS is the number of requests.
func TestHostileRequests_unraced(t *testing.T) {
	requests, perServer := 20_000, 2_000
	if text := os.Getenv("AGENTPLANE_TEST_REQUESTS"); text != "" {
		var err error
		if requests, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	h := newHostile(t)
	before := heap()
	goroutines := runtime.NumGoroutine()
	statuses := map[int]int{}
	for sent := 0; sent < requests; sent += perServer {
		h.run(t, min(perServer, requests-sent), statuses)
	}
	h.known = nil
	if after := heap(); after > before+16<<20 {
		t.Errorf("heap = %d bytes after the test and %d before, want at most 16 MiB more", after, before)
	}
	if after := runtime.NumGoroutine(); after > goroutines+5 {
		t.Errorf("%d goroutines after the test and %d before, want at most 5 more", after, goroutines)
	}
	t.Logf("responses by status: %v", statuses)
	if accepted := statuses[200] + statuses[201] + statuses[202]; accepted < requests/20 {
		t.Errorf("only %d of %d requests were accepted, want 5 %%: they are too malformed to test much", accepted, requests)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// hostileRoute is an endpoint with its parameters and the schema of its body.
type hostileRoute struct {
	method, path string
	query        []string
	body         any // Nil if unknown.
}

// hostile generates requests.
type hostile struct {
	random  *rand.Rand
	routes  []hostileRoute
	schemas map[string]any
	known   []string // IDs from responses.
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	// This document isn't derived from our code.
	text, err := os.ReadFile("../providertest/testdata/langsmith.openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	const seed = 20260502 // The same requests in every run.
	h := &hostile{random: rand.New(rand.NewPCG(seed, seed)), schemas: document.Components.Schemas}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			operation, is := document.Paths[path][method].(map[string]any)
			if !is {
				continue
			}
			route := hostileRoute{method: strings.ToUpper(method), path: path}
			parameters, _ := operation["parameters"].([]any)
			for _, p := range parameters {
				if p := p.(map[string]any); p["in"] == "query" {
					route.query = append(route.query, p["name"].(string))
				}
			}
			if body, is := operation["requestBody"].(map[string]any); is {
				content, _ := body["content"].(map[string]any)
				media, _ := content["application/json"].(map[string]any)
				route.body = media["schema"]
			}
			h.routes = append(h.routes, route)
		}
	}
	server, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for _, e := range slices.Concat(server.tracing.Endpoints(), session.DevEndpoints(), server.control.DevEndpoints()) {
		for _, method := range slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(e.Methods)), slices.Collect(maps.Keys(e.Streams))))) {
			h.routes = append(h.routes, hostileRoute{method: method, path: e.Path, query: tracingQuery})
		}
	}
	for _, page := range []string{
		"/", "/ui/deployments", "/ui/deployments/{deployment_id}", "/ui/events", "/ui/listeners", "/ui/integrations", "/ui/requests", "/ui/projects",
		"/ui/projects/{session_id}", "/ui/traces/{trace_id}", "/ui/runs/{run_id}", "/ui/workspaces/{workspace_id}/deployments",
	} {
		h.routes = append(h.routes, hostileRoute{method: http.MethodGet, path: page, query: []string{"cursor", "name_contains", "range", "scope", "status"}})
	}
	return h
}

var tracingQuery = []string{
	"limit", "offset", "name", "name_contains", "id", "include_stats", "sort_by", "sort_by_desc", "filter", "metadata", "selects", "project_id", "cursor",
	"from", "to", "step", "min_start_time", "max_start_time", "page_size", "start_time", "end_time", "reference_free", "stats_start_time",
}

// run sends requests to a new server.
func (h *hostile) run(t *testing.T, requests int, statuses map[int]int) {
	t.Helper()
	clock := NewManualClock(time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC))
	var log bytes.Buffer
	server, err := New(Config{
		Clock: clock, Dialect: api.LangSmith, DevAPI: true, Rollout: time.Minute,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	seeded, err := server.Seed(t.Context(), DefaultWorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	h.known = []string{seeded.ListenerID, seeded.IntegrationID}
	for range requests {
		r, body := h.request(t)
		answer := httptest.NewRecorder()
		if failed := serveHostile(server, answer, r); failed != nil || answer.Code >= 500 {
			t.Fatalf("%s %s %v\n%.2000q\ngot status %d, panic %v, and the log ends with %s",
				r.Method, r.URL, r.Header, body, answer.Code, failed, log.Bytes()[max(0, log.Len()-1000):])
		}
		statuses[answer.Code]++
		h.learn(answer.Body.Bytes())
		clock.Advance(time.Duration(h.random.IntN(3)) * time.Second)
	}
}

func serveHostile(server *Server, w http.ResponseWriter, r *http.Request) (failed any) {
	defer func() { failed = recover() }()
	server.ServeHTTP(w, r)
	return nil
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

var answeredID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// learn remembers IDs, so that later requests refer to existing objects.
func (h *hostile) learn(answer []byte) {
	for _, id := range answeredID.FindAll(answer[:min(len(answer), 4<<10)], 3) {
		h.known = append(h.known, string(id))
	}
	if most := 100; len(h.known) > most {
		h.known = slices.Clone(h.known[len(h.known)-most:])
	}
}

func (h *hostile) request(t *testing.T) (*http.Request, []byte) {
	t.Helper()
	route := h.routes[h.random.IntN(len(h.routes))]
	path := placeholder.ReplaceAllStringFunc(route.path, h.segment)
	if query := h.query(route.query); query != "" {
		path += "?" + query
	}
	var body []byte
	if route.method != http.MethodGet {
		body = h.body(t, route)
	}
	contentType := "application/json"
	if strings.HasSuffix(route.path, "/multipart") {
		body, contentType = h.form(t), "multipart/form-data; boundary=b"
	}
	encoding := ""
	if h.one(10) {
		body, encoding = h.compressed(t, body)
	}
	if h.one(20) {
		contentType = []string{"", "text/plain", "multipart/form-data", "a/b; c", "multipart/form-data; boundary=\"\""}[h.random.IntN(5)]
	}
	r := httptest.NewRequestWithContext(t.Context(), route.method, "http://localhost"+path, bytes.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	if encoding != "" {
		r.Header.Set("Content-Encoding", encoding)
	}
	if h.one(30) {
		r.Header.Set("X-Tenant-Id", h.id())
	}
	return r, body
}

func (h *hostile) one(in int) bool { return h.random.IntN(in) == 0 }

func (h *hostile) id() string {
	switch {
	case h.one(10):
		return h.text()
	case h.one(5) || len(h.known) == 0:
		return uuid.NewString()
	default:
		return h.known[h.random.IntN(len(h.known))]
	}
}

// segment returns the replacement for a placeholder in a path.
func (h *hostile) segment(string) string { return url.PathEscape(h.id()) }

func (h *hostile) query(names []string) string {
	query := url.Values{}
	for range h.random.IntN(4) {
		if len(names) == 0 {
			break
		}
		value := h.text()
		if h.one(2) {
			value = []string{"10", "1", "2026-05-02T10:00:00Z", "true", "asc", "name", "1h", h.id()}[h.random.IntN(8)]
		}
		query.Add(names[h.random.IntN(len(names))], value)
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

func (h *hostile) text() string {
	if h.one(20) {
		return strings.Repeat(texts[h.random.IntN(len(texts))]+"x", h.random.IntN(1000))
	}
	return texts[h.random.IntN(len(texts))]
}

// value returns an arbitrary value.
func (h *hostile) value() any {
	switch h.random.IntN(10) {
	case 0:
		return nil
	case 1:
		return h.one(2)
	case 2:
		return json.Number([]string{"1e400", "-1", "0", "1e-400", "0.1", "9223372036854775808", "1E+2", "-0"}[h.random.IntN(8)])
	case 3:
		return []any{h.text(), h.id()}
	case 4:
		return map[string]any{h.text(): h.text(), "name": h.text()}
	case 5:
		return h.nested()
	case 6:
		return h.id()
	default:
		return h.text()
	}
}

func (h *hostile) nested() any {
	var v any = "deep"
	for range h.random.IntN(1500) {
		v = []any{v}
	}
	return v
}

func (h *hostile) body(t *testing.T, route hostileRoute) []byte {
	t.Helper()
	if h.one(20) {
		return []byte(h.text())
	}
	var value any
	if route.body != nil {
		value = h.ofSchema(route.body, 0)
	} else {
		value = h.ofTracing(route.path)
	}
	if h.one(2) {
		value = h.spoiled(value)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if h.one(40) {
		text = text[:h.random.IntN(len(text)+1)]
	}
	return text
}

// spoiled returns a malformed variant of a value.
func (h *hostile) spoiled(value any) any {
	if h.one(5) {
		return h.value()
	}
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return h.value()
		}
		key := slices.Sorted(maps.Keys(v))[h.random.IntN(len(v))]
		if h.one(6) {
			delete(v, key)
		} else {
			v[key] = h.spoiled(v[key])
		}
		return v
	case []any:
		if len(v) == 0 {
			return []any{h.value()}
		}
		i := h.random.IntN(len(v))
		v[i] = h.spoiled(v[i])
		return v
	default:
		return h.value()
	}
}

// ofSchema returns a value that conforms to a schema of the document.
func (h *hostile) ofSchema(schema any, depth int) any {
	s, is := schema.(map[string]any)
	if !is || depth > 8 {
		return nil
	}
	if ref, is := s["$ref"].(string); is {
		return h.ofSchema(h.schemas[ref[strings.LastIndex(ref, "/")+1:]], depth+1)
	}
	for _, choice := range []string{"anyOf", "oneOf", "allOf"} {
		if of, is := s[choice].([]any); is && len(of) > 0 {
			return h.ofSchema(of[h.random.IntN(len(of))], depth+1)
		}
	}
	if values, is := s["enum"].([]any); is {
		return values[h.random.IntN(len(values))]
	}
	switch s["type"] {
	case "object":
		object := map[string]any{}
		required, _ := s["required"].([]any)
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if slices.Contains(required, any(name)) || h.one(3) {
				object[name] = h.ofSchema(properties[name], depth+1)
			}
		}
		return object
	case "array":
		list := []any{}
		for range h.random.IntN(3) {
			list = append(list, h.ofSchema(s["items"], depth+1))
		}
		return list
	case "integer", "number":
		return h.random.IntN(8)
	case "boolean":
		return h.one(2)
	case "string":
		if s["format"] == "uuid" {
			return h.id()
		}
		return fmt.Sprint("agent-", h.random.IntN(100))
	default:
		return nil
	}
}

// ofTracing returns a valid body for a path of the tracing service or of the /dev endpoints.
func (h *hostile) ofTracing(path string) any {
	query := map[string]any{
		"session": []any{h.id()}, "is_root": h.one(2), "filter": texts[18+h.random.IntN(6)], "limit": 1 + h.random.IntN(100), "project_ids": []any{h.id()},
		"trace_filter": `eq(name, "agent")`, "min_start_time": "2026-05-01T00:00:00Z", "start_time": "2026-05-01T00:00:00Z",
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if !h.one(3) {
			delete(query, key)
		}
	}
	switch {
	case strings.HasSuffix(path, "/batch"):
		return map[string]any{"post": []any{h.aRun(), h.aRun()}, "patch": []any{h.aRun()}}
	case strings.HasSuffix(path, "/query"), strings.HasSuffix(path, "/group"):
		return query
	case strings.HasSuffix(path, "/stats"):
		if h.one(2) {
			query["group_by"] = map[string]any{"attribute": []string{"name", "run_type", "tag", "metadata"}[h.random.IntN(4)], "path": "team", "max_groups": 3}
		}
		return query
	case strings.Contains(path, "/model-price-map"):
		return map[string]any{"name": h.id(), "match_pattern": "^example", "prompt_cost": 0.001, "completion_cost": "0.002", "provider": "a"}
	case strings.Contains(path, "/sessions"):
		return map[string]any{"name": h.id(), "description": "d", "extra": map[string]any{"metadata": map[string]any{"a": 1}}, "end_time": "2026-05-02T10:00:00Z"}
	case strings.Contains(path, "/runs"):
		return h.aRun()
	default:
		return map[string]any{"repo_url": "https://git.example.com/example-org/chat", "ref": "main", "name": "acme", "compute_type": "k8s", "compute_id": h.id(),
			"compute_config": map[string]any{"k8s_namespaces": []any{"a"}}, "version": "1"}
	}
}

// aRun returns a root or child run.
func (h *hostile) aRun() map[string]any {
	id, trace := uuid.NewString(), h.id()
	order := "20260502T100000000000Z" + id
	run := map[string]any{"id": id, "trace_id": id, "dotted_order": order, "name": "agent", "run_type": []string{"llm", "chain", "tool"}[h.random.IntN(3)],
		"start_time": "2026-05-02T10:00:00Z", "inputs": map[string]any{"messages": []any{map[string]any{"role": "user", "content": "hi"}}},
		"outputs":      map[string]any{"usage_metadata": map[string]any{"input_tokens": 3, "output_tokens": 4, "total_cost": 0.5}},
		"session_name": []string{"a", "b"}[h.random.IntN(2)], "tags": []any{"x"}, "extra": map[string]any{"metadata": map[string]any{"team": "red", "thread_id": "t"}},
		"events": []any{map[string]any{"name": "new_token", "time": "2026-05-02T10:00:01Z"}}}
	switch h.random.IntN(4) {
	case 0:
		run["trace_id"], run["parent_run_id"] = trace, trace
		run["dotted_order"] = "20260502T100000000000Z" + trace + "." + order
	case 1:
		delete(run, "trace_id")
		delete(run, "dotted_order")
		run["parent_run_id"] = trace
	}
	return run
}

// form returns a multipart body with runs, well-formed or not.
func (h *hostile) form(t *testing.T) []byte {
	t.Helper()
	var form bytes.Buffer
	for range 1 + h.random.IntN(4) {
		run := h.spoiled(h.aRun())
		text, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		name := []string{"post.", "patch.", "feedback.", "attachment.", ""}[h.random.IntN(5)] + h.id() + []string{"", "", ".inputs", ".outputs", ".file"}[h.random.IntN(5)]
		fmt.Fprintf(&form, "--b\r\nContent-Disposition: form-data; name=%q\r\nContent-Type: %s\r\n", name,
			[]string{"application/json", "text/plain", "", "application/json; length=3", "image/png; length=1"}[h.random.IntN(5)])
		if h.one(2) {
			fmt.Fprintf(&form, "Content-Length: %d\r\n", len(text)+h.random.IntN(3)-1)
		}
		fmt.Fprintf(&form, "\r\n%s\r\n", text)
	}
	if !h.one(10) {
		form.WriteString("--b--\r\n")
	}
	return form.Bytes()
}

// compressed returns the body encoded as its encoding says, or not.
func (h *hostile) compressed(t *testing.T, body []byte) (_ []byte, encoding string) {
	t.Helper()
	encoding = []string{"gzip", "zstd", "br", "identity"}[h.random.IntN(4)]
	if h.one(2) {
		return body, encoding
	}
	var packed bytes.Buffer
	switch encoding {
	case "gzip":
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body)
		_ = w.Close()
	case "zstd":
		w, err := zstd.NewWriter(&packed, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(body)
		_ = w.Close()
	default:
		return body, encoding
	}
	if data := packed.Bytes(); h.one(3) {
		return data[:h.random.IntN(len(data))], encoding
	}
	return packed.Bytes(), encoding
}
