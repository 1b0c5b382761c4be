package tracing_test

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// corpus has what programs sent, and what their runs should be: its README explains both.
var corpus = filepath.Join("testdata", "corpus")

// programs returns the names of all programs in the corpus.
func programs(t *testing.T) []string {
	t.Helper()
	outlines, err := filepath.Glob(filepath.Join(corpus, "expected", "*.txt"))
	if err != nil || len(outlines) == 0 {
		t.Fatalf("%d outlines: %v", len(outlines), err)
	}
	for i, outline := range outlines {
		outlines[i] = strings.TrimSuffix(filepath.Base(outline), ".txt")
	}
	return outlines
}

// TestCorpus replays the requests of each program, and compares the runs with those that the program should have, which were written
// from the program and the answers of the model.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, program := range programs(t) {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{Clock: systemClock{}, NoDefaultPrices: true}).As()
			for pattern, price := range map[string]object{
				"^gpt-4.1-mini$":           {"prompt_cost": 0.000002, "completion_cost": 0.000003, "prompt_cost_details": object{"cache_read": 0.000001}},
				"^claude-sonnet-5-5$":      {"prompt_cost": 0.000002, "completion_cost": 0.000003, "prompt_cost_details": object{"cache_read": 0.000001}},
				"^gemini-2.5-flash$":       {"prompt_cost": 0.000002, "completion_cost": 0.000003, "prompt_cost_details": object{"cache_read": 0.000001}},
				"^text-embedding-3-small$": {"prompt_cost": 0.000001, "completion_cost": 0},
			} {
				p.Do(http.MethodPost, "/model-price-map", devservertest.With(price, object{"name": pattern, "match_pattern": pattern})).Want(http.StatusOK)
			}
			for _, r := range requestsOf(t, program) {
				p.As(r.headers()...).Do(r.Method, r.Path, string(r.body(t))).Want(r.status())
			}
			runs := runsOf(t, p)
			want := readOutline(t, filepath.Join(corpus, "expected", program+".txt"))
			if diff := cmp.Diff(outline(want), outline(runs)); diff != "" {
				t.Fatalf("runs (-want +got):\n%s", diff)
			}
			for i, w := range want {
				w.check(t, runs[i].run)
			}
			// No program repeats a call, or gets an error in an output.
			if marks := marksOf(p, runs); len(marks) > 0 {
				t.Errorf("pages of traces have false marks:\n%s", strings.Join(marks, "\n"))
			}
		})
	}
}

// recordedRequest is a request as record.mjs writes it.
type recordedRequest struct {
	Method, Path string
	Header       map[string]string
	Body         string // Base64.
}

// requestsOf returns the requests of a program. A recording ends with the versions of the packages that sent them.
func requestsOf(t *testing.T, program string) (requests []recordedRequest) {
	t.Helper()
	file, err := os.Open(filepath.Join(corpus, "recorded", program+".json.gz"))
	if errors.Is(err, os.ErrNotExist) {
		return written(t, filepath.Join(corpus, "written", program+".json"))
	} else if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	devservertest.Must(t, err)
	for decoder := json.NewDecoder(plain); ; {
		var r recordedRequest
		if err := decoder.Decode(&r); errors.Is(err, io.EOF) {
			return requests
		} else if err != nil {
			t.Fatal(err)
		}
		if r.Method != "" {
			requests = append(requests, r)
		}
	}
}

// written returns the requests for spans, or of a client, in a file. Of spans, it has only what isn't the same for all.
func written(t *testing.T, path string) (requests []recordedRequest) {
	t.Helper()
	text, err := os.ReadFile(path)
	devservertest.Must(t, err)
	type event struct {
		Name       string
		Attributes object
	}
	var file struct {
		Spans []struct {
			ID, Parent int
			event
			Events []event
		}
		Requests []struct {
			Method, Path string
			Body         object
		}
	}
	devservertest.Must(t, json.Unmarshal(text, &file))
	whole := func(attributes object) object {
		for key, value := range attributes {
			if n, is := value.(float64); is {
				attributes[key] = int(n)
			}
		}
		return attributes
	}
	add := func(method, path string, body object) {
		text, err := json.Marshal(body)
		devservertest.Must(t, err)
		requests = append(requests, recordedRequest{method, path, map[string]string{"Content-Type": "application/json"}, base64.StdEncoding.EncodeToString(text)})
	}
	var spans []object
	for _, s := range file.Spans {
		parent := ""
		if s.Parent != 0 {
			parent = spanID(s.Parent)
		}
		span := otelSpan(spanID(s.ID), parent, s.ID, whole(s.Attributes))
		var events []any
		for _, e := range s.Events {
			events = append(events, object{"name": e.Name, "timeUnixNano": span["startTimeUnixNano"], "attributes": otelSpan("0", "", 0, whole(e.Attributes))["attributes"]})
		}
		span["name"], span["events"] = s.Name, events
		spans = append(spans, span)
	}
	if spans != nil {
		add(http.MethodPost, "/otel/v1/traces", export(spans...))
	}
	for _, r := range file.Requests {
		add(r.Method, r.Path, r.Body)
	}
	return requests
}

func (r recordedRequest) body(t *testing.T) []byte {
	t.Helper()
	body, err := base64.StdEncoding.DecodeString(r.Body)
	devservertest.Must(t, err)
	return body
}

func (r recordedRequest) headers() []string {
	var pairs []string
	for name, value := range r.Header {
		pairs = append(pairs, name, value)
	}
	return pairs
}

func (r recordedRequest) status() int {
	if strings.HasSuffix(r.Path, "/v1/logs") {
		return http.StatusNotFound
	}
	if strings.HasPrefix(r.Path, "/otel") {
		return http.StatusOK
	}
	return http.StatusAccepted
}

// corpusRun is a run of an outline: one that a program should have, or one that it has.
type corpusRun struct {
	depth              int
	kind, name, thread string // The thread only of roots.
	facts              []string
	run                object
}

// runsOf returns all runs, each below its parent, in the order of their starts.
func runsOf(t *testing.T, p *plane) []corpusRun {
	t.Helper()
	session := devservertest.Get[[]object](p, "/sessions?name=default")[0]
	page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"session": []any{session["id"]}, "limit": 100}).Want(http.StatusOK))
	var runs []corpusRun
	for _, each := range page["runs"].([]any) {
		run := each.(object)
		r := corpusRun{depth: strings.Count(run["dotted_order"].(string), "."), kind: run["run_type"].(string), name: run["name"].(string), run: run}
		if thread, is := run["thread_id"].(string); is && r.depth == 0 {
			r.thread = thread
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b corpusRun) int {
		return strings.Compare(a.run["dotted_order"].(string), b.run["dotted_order"].(string))
	})
	return runs
}

// marksOf returns the marks on the pages of the runs' traces.
func marksOf(p *plane, runs []corpusRun) (found []string) {
	p.T.Helper()
	type node struct {
		Name     string
		Marks    []struct{ Label, Reason string }
		Children []node
	}
	var collect func(nodes []node)
	collect = func(nodes []node) {
		for _, n := range nodes {
			for _, m := range n.Marks {
				found = append(found, n.Name+": "+m.Label+": "+m.Reason)
			}
			collect(n.Children)
		}
	}
	for _, r := range runs {
		if r.depth == 0 {
			page := p.As("Accept", "application/json").Do(http.MethodGet, "/ui/traces/"+r.run["trace_id"].(string), nil).Want(http.StatusOK)
			var view struct{ Roots []node }
			devservertest.Must(p.T, json.Unmarshal(page.Body, &view))
			collect(view.Roots)
		}
	}
	return found
}

// outlineLine is INDENTATION TYPE NAME: FACT, FACT (THREAD), of which only the type and the name are required.
var outlineLine = regexp.MustCompile(`^( *)(\w+) (.+?)(?:: ([a-z ]+(?:, [a-z ]+)*))?(?: \((.+)\))?$`)

func readOutline(t *testing.T, path string) []corpusRun {
	t.Helper()
	file, err := os.Open(path)
	devservertest.Must(t, err)
	defer file.Close()
	var runs []corpusRun
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := outlineLine.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("%s: %q is no line of an outline", path, line)
		}
		r := corpusRun{depth: len(parts[1]) / 2, kind: parts[2], name: parts[3], thread: parts[5]}
		if parts[4] != "" {
			r.facts = strings.Split(parts[4], ", ")
		}
		runs = append(runs, r)
	}
	return runs
}

func outline(runs []corpusRun) string {
	var text strings.Builder
	for _, r := range runs {
		fmt.Fprintf(&text, "%s%s %s", strings.Repeat("  ", r.depth), r.kind, r.name)
		if r.thread != "" {
			fmt.Fprintf(&text, " (%s)", r.thread)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// corpusCall is a call of a model: what the programs of the corpus ask, and what model.mjs answers and counts.
type corpusCall struct {
	inputs, outputs        []string
	input, cached, output  float64
	cost, costWithoutCache string
}

var corpusCalls = map[string]corpusCall{
	// 15 × 2 + 5 × 1 + 10 × 3 millionths.
	"capital": {inputs: []string{"system: Be brief.", "user: What is the capital of Italy?"}, outputs: []string{"assistant: Rome."},
		input: 20, cached: 5, output: 10, cost: "0.000065", costWithoutCache: "0.00007"},
	"count": {inputs: []string{"user: Count to three."}, outputs: []string{"assistant: One, two, three."}, input: 12, output: 6, cost: "0.000042"},
	"ask": {inputs: []string{"user: What is the weather in Rome?"}, outputs: []string{`assistant: call_1 weather {"city":"Rome"}`},
		input: 30, output: 8, cost: "0.000084"},
	"weather": {inputs: []string{"user: What is the weather in Rome?", `assistant: call_1 weather {"city":"Rome"}`, "tool call_1: sunny"},
		outputs: []string{"assistant: It is sunny in Rome."}, input: 45, output: 4, cost: "0.000102"},
	"city":          {inputs: []string{"user: Name a city."}, outputs: []string{`assistant: {"city":"Rome"}`}, input: 14, output: 5, cost: "0.000043"},
	"embed":         {input: 6, cost: "0.000006"},
	"pair":          {input: 12, cost: "0.000012"},
	"fail":          {inputs: []string{"user: Fail."}},
	"count and one": {inputs: []string{"user: Count to three."}, outputs: []string{"assistant: One, two, three."}, input: 12, output: 7, cost: "0.000045"},
	"capital without cache": {inputs: []string{"system: Be brief.", "user: What is the capital of Italy?"}, outputs: []string{"assistant: Rome."},
		input: 15, output: 10, cost: "0.00006"},
	"ask without call": {inputs: []string{"user: What is the weather in Rome?"}, outputs: []string{"assistant:"}, input: 30, output: 8, cost: "0.000084"},
	"weather without call": {inputs: []string{"user: What is the weather in Rome?", "assistant:", "tool: sunny"},
		outputs: []string{"assistant: It is sunny in Rome."}, input: 45, output: 4, cost: "0.000102"},
	// A step of the AI SDK contains the provider's own events, and the results of the tools that it called.
	"count after event": {inputs: []string{"user: Count to three."}, outputs: []string{"assistant: [custom] One, two, three."}, input: 12, output: 6, cost: "0.000042"},
	"ask with result": {inputs: []string{"user: What is the weather in Rome?"}, outputs: []string{`assistant: call_1 weather {"city":"Rome"} [server_tool_result]`},
		input: 30, output: 8, cost: "0.000084"},
	// An agent whose steps are one call.
	"ask and weather": {inputs: []string{"user: What is the weather in Rome?"}, outputs: []string{`assistant: It is sunny in Rome. call_1 weather {"city":"Rome"}`},
		input: 75, output: 12, cost: "0.000186"},
	// A call that failed, which nothing says.
	"no answer": {inputs: []string{"system: Be brief.", "user: Fail."}, outputs: []string{"assistant:"}},
	// The instrumentation writes the messages as one text, and no answer.
	"unread": {inputs: []string{`user: [{"role":"user","content":"Count to three."}]`}},
}

// check compares a run with its facts: the call that it is, and other words.
func (w corpusRun) check(t *testing.T, run object) {
	t.Helper()
	var c corpusCall
	has := func(fact string) bool { return slices.Contains(w.facts, fact) }
	for _, fact := range w.facts {
		if call, is := corpusCalls[fact]; is {
			c = call
		}
	}
	same := func(what string, want, got any) {
		t.Helper()
		devservertest.Same(t, fmt.Sprintf("%s of %s %s", what, w.kind, w.name), want, got)
	}
	status := "success"
	if has("fail") {
		status = "error"
	} else if has("unended") {
		status = "pending"
	}
	same("status", any(status), run["status"])
	if text, _ := run["error"].(string); has("fail") && !has("unexplained") && !strings.Contains(text, "The model is overloaded.") {
		t.Errorf("error of %s %s = %q, want that the model is overloaded", w.kind, w.name, text)
	}
	text := func(key string) string {
		b, err := json.Marshal(run[key])
		devservertest.Must(t, err)
		return string(b)
	}
	if has("tagged") {
		same("tags", any([]any{"smoke"}), run["tags"])
	}
	switch w.kind {
	case "chain":
		if has("fail") {
			return
		}
		for side, messages := range map[string][]string{"inputs": c.inputs, "outputs": c.outputs} {
			for _, message := range messages {
				who, said, _ := strings.Cut(message, ": ")
				if who == map[string]string{"inputs": "user", "outputs": "assistant"}[side] && !strings.Contains(text(side), said) {
					t.Errorf("%s of %s = %s, want %s", side, w.name, text(side), said)
				}
			}
		}
		return
	case "tool":
		if !strings.Contains(text("inputs"), "Rome") || !strings.Contains(text("outputs"), "sunny") {
			t.Errorf("inputs and outputs of %s = %s and %s, want Rome and sunny", w.name, text("inputs"), text("outputs"))
		}
		return
	case "retriever":
		if !strings.Contains(text("inputs"), "Rome") || !strings.Contains(text("outputs"), "Rome is a city.") {
			t.Errorf("inputs and outputs of %s = %s and %s, want Rome and the document", w.name, text("inputs"), text("outputs"))
		}
		return
	case "embedding":
		if !strings.Contains(text("inputs"), "Rome is a city.") {
			t.Errorf("inputs of %s = %s, want the text", w.name, text("inputs"))
		}
		vector := `"embeddings":[[0.5,-0.25,1]`
		if has("nested") {
			vector = `"embeddings":[{"embedding":[0.5,-0.25,1]}`
		}
		if !strings.Contains(text("outputs"), vector) {
			t.Errorf("outputs of %s = %s, want the vector", w.name, text("outputs"))
		}
	case "llm":
		if has("uninstructed") {
			c.inputs = c.inputs[1:]
		}
		if has("wrapped") {
			c.inputs = replaced(c.inputs, "tool call_1: sunny", `tool call_1: {"result":"sunny"}`)
		}
		if has("unasked") {
			c.inputs = nil
		}
		if has("anonymous") {
			c.inputs, c.outputs = withoutIDs(c.inputs), withoutIDs(c.outputs)
		}
		if !has("untold") {
			same("inputs", c.inputs, messagesOf(t, text("inputs"), document.Inputs))
			same("outputs", c.outputs, messagesOf(t, text("outputs"), document.Outputs))
		}
		first, streamed := run["first_token_time"].(string)
		same("streaming", has("streamed"), streamed)
		if start, end := run["start_time"].(string), run["end_time"].(string); streamed && (first <= start || first >= end) {
			t.Errorf("first token of %s at %s, want between %s and %s", w.name, first, start, end)
		}
	default:
		return
	}
	if has("uncached") {
		c.cost, c.cached = c.costWithoutCache, 0
	}
	if has("dated") {
		c.cost = ""
	}
	if has("uncounted") {
		c = corpusCall{}
	}
	same("prompt tokens", c.input, run["prompt_tokens"])
	same("completion tokens", c.output, run["completion_tokens"])
	details, _ := run["prompt_token_details"].(object)
	cached, _ := details["cache_read"].(float64)
	same("cached tokens", c.cached, cached)
	cost, _ := run["total_cost"].(string)
	same("cost", c.cost, cost)
}

func withoutIDs(messages []string) []string {
	return replaced(messages, "assistant: call_1", "assistant:", "tool call_1:", "tool:")
}

func replaced(messages []string, pairs ...string) []string {
	return strings.Split(strings.NewReplacer(pairs...).Replace(strings.Join(messages, "\n")), "\n")
}

// messagesOf returns the messages of a call, a line each.
func messagesOf(t *testing.T, half string, side document.Side) []string {
	t.Helper()
	d, err := message.Normalize([]byte(half), side)
	devservertest.Must(t, err)
	var lines []string
	for _, m := range d.Messages {
		line := m.Role
		if m.ToolCallID != nil {
			line += " " + *m.ToolCallID
		}
		line += ":"
		for _, block := range m.Content {
			switch {
			case block.Text != nil && *block.Text == "": // Some libraries have an empty text beside calls.
			case block.Text != nil:
				line += " " + *block.Text
			case block.Type == document.BlockToolCall:
				if block.ID != nil {
					line += " " + *block.ID
				}
				if block.Name != nil {
					line += " " + *block.Name
				}
				line += " " + string(block.Args)
			default:
				line += " [" + block.Type + "]"
			}
		}
		lines = append(lines, line)
	}
	return lines
}
