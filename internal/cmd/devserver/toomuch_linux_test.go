package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// What answering a request may cost.
const (
	mostMemory = 64 << 20              // Of a refused request, and beyond its own documented size of a permitted one.
	mostAnswer = 100 << 10             // Of a refused request.
	mostTime   = time.Second           // Of a refused request.
	timePerMB  = 20 * time.Millisecond // Of a permitted request.
	bodyBytes  = 10 << 20              // The documented maximum of a body,
	runsBytes  = 256 << 20             // and of one that logs runs.
)

// tooMuch is a request with more of something than the server should take, or with all that it takes.
type tooMuch struct {
	method, path, contentType string
	gzip                      bool
	body                      func(w io.Writer)
	// permitted is the documented maximum size of a request that isn't refused for what it has too much of; zero for others.
	permitted int64
}

// cost is what answering a request has cost the server.
type cost struct {
	status int
	answer []byte
	read   int64 // Bytes of the body, decompressed.
	memory int64 // The peak of the resident memory, without that of the idle server.
	time   time.Duration
}

func (c cost) String() string {
	return fmt.Sprintf("status %d, %.1f MB read, %.1f MB of memory, %d ms of CPU, answer of %d bytes: %.100s",
		c.status, float64(c.read)/1e6, float64(c.memory)/1e6, c.time.Milliseconds(), len(c.answer), c.answer)
}

// check expects a refusal that is short. Memory and time are those of the server alone if it has answered nothing before, and only then
// measured.
func (m tooMuch) check(t *testing.T, c cost, measured bool) {
	t.Helper()
	t.Log(c)
	memory, allowed := int64(mostMemory)+m.permitted, mostTime
	if m.permitted > 0 { // Small values cost more for each byte, but their number is bounded.
		allowed = max(mostTime, timePerMB*time.Duration(c.read/1e6))
	} else if c.status < 400 || c.status >= 500 {
		t.Errorf("status %d, want a refusal", c.status)
	}
	if measured && (c.memory > memory || c.time > allowed) || m.permitted == 0 && len(c.answer) > mostAnswer {
		t.Errorf("%s; want at most %.1f MB, %d ms and, of a refused request, an answer of %d bytes", c, float64(memory)/1e6, allowed.Milliseconds(), mostAnswer)
	}
}

// measure sends a request to a server, and returns what it has cost.
func (m tooMuch) measure(t *testing.T, p *process) (c cost) {
	t.Helper()
	counted := &counter{}
	if m.body == nil {
		m.body = func(io.Writer) {}
	}
	sent, in := io.Pipe()
	go func() {
		defer in.Close()
		if !m.gzip {
			m.body(io.MultiWriter(in, counted))
			return
		}
		packed, _ := gzip.NewWriterLevel(in, gzip.BestSpeed)
		defer packed.Close()
		m.body(io.MultiWriter(packed, counted))
	}()
	defer sent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, m.method, p.url+m.path, sent)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Api-Key", p.key)
	request.Header.Set("Content-Type", m.contentType)
	if m.gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	// Resets the peak to what the process takes now.
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
	idle, used := p.peak(t), p.cpuTime(t)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return cost{response.StatusCode, answer, counted.n, p.peak(t) - idle, p.cpuTime(t) - used}
}

var peakMemory = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is the largest resident memory of a process, in bytes.
func (p *process) peak(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	found := peakMemory.FindSubmatch(status)
	if found == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	kilobytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// cpuTime is the time that a process has used, in user mode and in the kernel.
func (p *process) cpuTime(t *testing.T) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	const user, system, ticksPerSecond = 11, 12, 100
	var ticks int64
	for _, field := range []int{user, system} {
		n, err := strconv.ParseInt(fields[field], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// repeated writes a text between others n times.
func repeated(before, text, after string, n int) func(io.Writer) {
	return func(w io.Writer) {
		together := bufio.NewWriterSize(w, 64<<10) // Otherwise, each would be a chunk of the request.
		_, _ = together.WriteString(before)
		for range n {
			_, _ = together.WriteString(text)
		}
		_, _ = together.WriteString(after)
		_ = together.Flush()
	}
}

// numbered is repeated with a text that has the number of each repetition.
func numbered(before, format, after string, n int) func(io.Writer) {
	return func(w io.Writer) {
		together := bufio.NewWriterSize(w, 64<<10)
		_, _ = together.WriteString(before)
		for i := range n {
			_, _ = fmt.Fprintf(together, format, i)
		}
		_, _ = together.WriteString(after)
		_ = together.Flush()
	}
}

const (
	jsonType, protobufType = "application/json", "application/x-protobuf"
	formType               = "multipart/form-data; boundary=b"
	many                   = 3_000_000
	aRun                   = `{"id":"aaaaaaaa-1111-4000-8000-000000000000","name":"a","run_type":"chain","start_time":"2026-05-02T10:00:00Z"`
)

// shapes are bodies with too much of something, as every route that takes JSON may get them.
var shapes = map[string]func(io.Writer){
	"list of objects":  repeated("[{}", ",{}", "]", many),
	"list of numbers":  repeated("[0", ",0", "]", many),
	"list of texts":    repeated(`[""`, `,""`, "]", many),
	"list of lists":    repeated("[[0]", ",[0]", "]", many),
	"members":          numbered(`{"a":0`, `,"m%d":0`, "}", many),
	"the same member":  repeated(`{"a":0`, `,"a":0`, "}", many),
	"nested lists":     repeated("", "[", "", many),
	"nested objects":   repeated("", `{"a":`, "", many),
	"unfinished list":  repeated("[0", ",0", "", many),
	"members of lists": repeated(`{"a":[{"a":0,"b":[0]}`, `,{"a":0,"b":[0]}`, "]}", many),
}

// inMember is a list of numbers and a list of objects in a member of the body.
func inMember(path []string) map[string]func(io.Writer) {
	open, closed := "", ""
	for _, name := range path {
		open, closed = open+fmt.Sprintf("{%q:", name), closed+"}"
	}
	name := strings.Join(path, ".")
	return map[string]func(io.Writer){
		"numbers in " + name: repeated(open+"[0", ",0", "]"+closed, many), "objects in " + name: repeated(open+"[{}", ",{}", "]"+closed, many),
	}
}

// within are bodies that have as much as is permitted.
var within = map[string]func(io.Writer){
	"white space": repeated("", " ", "{}", bodyBytes-2), "long text": repeated(`{"name":"`, "a", `"}`, bodyBytes-11), "too long": repeated(`{"name":"`, "a", `"}`, bodyBytes+1),
	"all values": repeated(`{"secrets":[{}`, `,{}`, `]}`, 49_998), "all members": numbered(`{"a":0`, `,"m%d":0`, "}", 49_998), "objects": repeated(`[{"a":0}`, `,{"a":0}`, "]", 24_999),
}

// ofRuns are requests that log runs.
func ofRuns() map[string]tooMuch {
	batch := func(before, text, after string, n int) func(io.Writer) {
		return repeated(`{"post":[`+aRun+before, text, after+`}]}`, n)
	}
	all := map[string]tooMuch{
		"batch of 20 million": {"POST", "/runs/batch", jsonType, true, repeated(`{"post":[{}`, `,{}`, `]}`, 20_000_000), 0},
		"posts and patches":   {"POST", "/runs/batch", jsonType, true, repeated(`{"post":[{}],"patch":[{}`, `,{}`, `]}`, many), 0},
		"values of a run":     {"POST", "/runs/batch", jsonType, true, batch(`,"inputs":{"a":[0`, ",0", "]}", 20_000_000), 0},
		"fields of a run":     {"POST", "/runs/batch", jsonType, true, numbered(`{"post":[`+aRun, `,"m%d":0`, "}]}", many), 0},
		"run of 3 million":    {"POST", "/runs", jsonType, true, numbered(aRun, `,"m%d":1`, `}`, many), 0},
		"patch of 3 million":  {"PATCH", "/runs/aaaaaaaa-1111-4000-8000-000000000000", jsonType, true, numbered(`{"a":1`, `,"m%d":1`, `}`, many), 0},
		"parts":               {"POST", "/runs/multipart", formType, true, parts("post.%s", 2_500_000), 0},
		"feedback parts":      {"POST", "/runs/multipart", formType, true, parts("feedback.%s", 2_500_000), 0},
		"attachments":         {"POST", "/runs/multipart", formType, true, parts("attachment.%s.a", 2_500_000), 0},
		"parts of one run":    {"POST", "/runs/multipart", formType, true, repeated("", part("post.aaaaaaaa-1111-4000-8000-000000000000.inputs", "{}"), "--b--", 2_500_000), 0},
		"members in a part":   {"POST", "/runs/multipart", formType, true, numbered("--b\r\nContent-Disposition: form-data; name=\"post.aaaaaaaa-1111-4000-8000-000000000000.inputs\"\r\n\r\n{\"a\":0", `,"m%d":0`, "}\r\n--b--", many), 0},
		"spans":               {"POST", "/otel/v1/traces", protobufType, true, spansOf("\x12\x00", 20_000_000), 0},
		"spans in JSON":       {"POST", "/otel/v1/traces", jsonType, true, repeated(`{"resourceSpans":[{"scopeSpans":[{"spans":[{}`, ",{}", "]}]}]}", many), 0},
		"resources":           {"POST", "/otel/v1/traces", protobufType, true, repeated("", "\x0a\x00", "", 20_000_000), 0},
		"resources in JSON":   {"POST", "/otel/v1/traces", jsonType, true, repeated(`{"resourceSpans":[{}`, ",{}", "]}", many), 0},
	}
	for name, run := range map[string]func(io.Writer){
		"inputs with numbers":  batch(`,"inputs":{"a":[0`, ",0", "]}", 990_000),
		"inputs with objects":  batch(`,"inputs":{"a":[{}`, ",{}", "]}", 990_000),
		"inputs with members":  numbered(`{"post":[`+aRun+`,"inputs":{"a":0`, `,"m%d":0`, "}}]}", 149_000),
		"messages":             batch(`,"inputs":{"messages":[{"role":"user","content":"a"}`, `,{"role":"user","content":"a"}`, "]}", 74_000),
		"metadata":             numbered(`{"post":[`+aRun+`,"extra":{"metadata":{"a":0`, `,"m%d":0`, "}}}]}", 149_000),
		"merged metadata":      numbered(`{"patch":[{"id":"aaaaaaaa-1111-4000-8000-000000000000","extra":{"metadata":{"b":0}}}],"post":[`+aRun+`,"extra":{"metadata":{"a":0`, `,"m%d":0`, "}}}]}", 149_000),
		"tags":                 batch(`,"tags":["a"`, `,"a"`, "]", 990_000),
		"events":               batch(`,"events":[{"name":"new_token"}`, `,{"name":"new_token"}`, "]", 149_000),
		"usage":                numbered(`{"post":[`+aRun+`,"outputs":{"usage_metadata":{"input_token_details":{"a":0`, `,"m%d":0`, "}}}}]}", 149_000),
		"fields of 1,000 runs": manyFields(1000, 90),
	} {
		all[name] = tooMuch{"POST", "/runs/batch", jsonType, true, run, runsBytes}
	}
	all["all attributes of a span"] = tooMuch{"POST", "/otel/v1/traces", protobufType, true, spansOf("\x12\x02\x4a\x00", 10_000), runsBytes}
	return all
}

func manyFields(runs, fields int) func(io.Writer) {
	return func(w io.Writer) {
		_, _ = io.WriteString(w, `{"post":[`)
		for i := range runs {
			if i > 0 {
				_, _ = io.WriteString(w, ",")
			}
			numbered(fmt.Sprintf(`{"id":"aaaaaaaa-1111-4000-8000-%012d","name":"a","run_type":"chain","start_time":"2026-05-02T10:00:00Z"`, i), `,"m%d":0`, "}", fields)(w)
		}
		_, _ = io.WriteString(w, "]}")
	}
}

func part(name, content string) string {
	return fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name, content)
}

// parts is a multipart body with n parts, each for another run.
func parts(name string, n int) func(io.Writer) {
	return numbered("", part(fmt.Sprintf(name, "aaaaaaaa-1111-4000-8000-%012d"), "{}"), "--b--\r\n", n)
}

// spansOf is a request in Protocol Buffers with n copies of the content of one scope.
func spansOf(content string, n int) func(io.Writer) {
	length := func(n int) string { return string(binary.AppendUvarint(nil, uint64(n))) } //nolint:gosec // It isn't negative.
	scope := "\x12" + length(n*len(content))                                             // The lengths of the two messages around it.
	return repeated("\x0a"+length(len(scope)+n*len(content))+scope, content, "", n)
}

// listParameters are the parameters of the tracing service that are lists.
var listParameters = []string{"id", "run", "session", "key", "source", "selects", "type", "tag_value_id", "reference_dataset", "stats_select"}

// listMembers are members of its bodies that are lists.
var listMembers = []string{"session", "id", "ids", "select", "selects", "project_ids", "trace_ids", "groups", "reference_examples", "run_ids", "match_path", "kinds"}

// cells returns the requests for every route with a body or a list parameter, by name.
func cells(t *testing.T) map[string]map[string]tooMuch {
	t.Helper()
	all := map[string]map[string]tooMuch{"runs": ofRuns()}
	add := func(method, path string, parameters []string, lists [][]string) {
		named := method + " " + path
		path = regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(path, "aaaaaaaa-1111-4000-8000-000000000000")
		of := map[string]tooMuch{}
		if method != http.MethodGet && method != http.MethodDelete {
			for name, body := range shapes {
				of[name] = tooMuch{method, path, jsonType, false, body, 0}
			}
			for _, list := range lists {
				for name, body := range inMember(list) {
					of[name] = tooMuch{method, path, jsonType, false, body, 0}
				}
			}
			for name, body := range within {
				of[name] = tooMuch{method, path, jsonType, false, body, bodyBytes}
			}
		}
		for _, name := range parameters {
			const bytes = 60 << 10
			repeatedly := strings.Repeat("&"+name+"=a", bytes/(len(name)+3))[1:]
			of["repeated parameter "+name] = tooMuch{method, path + "?" + repeatedly, jsonType, false, nil, bodyBytes}
			of["list in parameter "+name] = tooMuch{method, path + "?" + name + "=" + url.QueryEscape(strings.Repeat("a,", bytes/4)), jsonType, false, nil, bodyBytes}
		}
		if len(of) > 0 {
			all[named] = of
		}
	}
	for _, o := range operations(t) {
		add(o.method, o.path, o.parameters, o.lists)
	}
	server, err := devserver.New(devserver.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var lists [][]string
	for _, name := range listMembers {
		lists = append(lists, []string{name})
	}
	undocumented := server.Undocumented()
	for _, endpoint := range undocumented {
		method, path, _ := strings.Cut(endpoint, " ")
		if slices.ContainsFunc([]string{"/v1", "/api", "/api/v1"}, func(prefix string) bool {
			short, is := strings.CutPrefix(path, prefix)
			return is && slices.Contains(undocumented, method+" "+short) // The same endpoint.
		}) {
			continue
		}
		add(method, path, listParameters, lists)
	}
	return all
}

// operation is one of the OpenAPI document, with its parameters that are lists, and the paths of lists in its body.
type operation struct {
	method, path string
	parameters   []string
	lists        [][]string
}

func operations(t *testing.T) (all []operation) {
	t.Helper()
	text, err := os.ReadFile("../../providertest/testdata/langsmith.openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Ref        string `json:"$ref"`
		Type       any
		Properties map[string]json.RawMessage
		AnyOf      []json.RawMessage
	}
	var document struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var listsIn func(raw json.RawMessage, at []string) [][]string
	listsIn = func(raw json.RawMessage, at []string) (lists [][]string) {
		var s schema
		if json.Unmarshal(raw, &s) != nil || len(at) > 4 {
			return nil
		}
		if s.Ref != "" {
			return listsIn(document.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]], at)
		}
		if s.Type == "array" && len(at) > 0 {
			return [][]string{at}
		}
		for _, choice := range s.AnyOf {
			lists = append(lists, listsIn(choice, at)...)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			lists = append(lists, listsIn(s.Properties[name], append(slices.Clip(at), name))...)
		}
		return lists
	}
	for path, operations := range document.Paths {
		for method, raw := range operations {
			var o struct {
				Parameters []struct {
					Name, In string
					Schema   json.RawMessage
				}
				RequestBody struct {
					Content map[string]struct{ Schema json.RawMessage }
				}
			}
			if json.Unmarshal(raw, &o) != nil {
				continue // Parameters of all methods.
			}
			of := operation{method: strings.ToUpper(method), path: path, lists: listsIn(o.RequestBody.Content[jsonType].Schema, nil)}
			for _, p := range o.Parameters {
				if p.In == "query" && strings.Contains(string(p.Schema), `"array"`) {
					of.parameters = append(of.parameters, p.Name)
				}
			}
			all = append(all, of)
		}
	}
	return all
}

// TestTooMuch_unraced sends too much of something to every route: one shape for each route, or, if AGENTPLANE_TEST_TOO_MUCH is set, each of
// them to a server of its own, whose memory and CPU time it then measures.
func TestTooMuch_unraced(t *testing.T) {
	t.Setenv("GOMAXPROCS", "2")
	whole := os.Getenv("AGENTPLANE_TEST_TOO_MUCH") != ""
	start := func(t *testing.T) *process {
		t.Helper()
		p := startProcess(t, "-dialect", "langsmith", "-dev-api", "-api-key", "sesame="+devserver.DefaultWorkspaceID)
		p.key = "sesame"
		return p
	}
	shared := start(t)
	table := cells(t)
	for n, route := range slices.Sorted(maps.Keys(table)) {
		names := slices.Sorted(maps.Keys(table[route]))
		if !whole {
			names = []string{names[n%len(names)]}
		}
		for _, name := range names {
			t.Run(route+"/"+name, func(t *testing.T) {
				p := shared
				if whole {
					p = start(t)
				}
				m := table[route][name]
				m.check(t, m.measure(t, p), whole)
			})
		}
	}
}
