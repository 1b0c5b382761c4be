package tracing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// newSpanPlane starts a server with a key and prices that uses the system's clock, like the exporters' processes.
func newSpanPlane(t *testing.T) *plane {
	t.Helper()
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{
		Data: filepath.Join(t.TempDir(), "runs.db"), Clock: systemClock{},
		Keys: []devserver.Key{{Value: "sesame", Workspaces: []string{devservertest.WorkspaceA}}},
	})).As("X-Api-Key", "sesame")
	p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry(object{"prompt_cost_details": object{"cache_read": 0.000001}})).Want(http.StatusOK)
	return p
}

// TestJSExporter_unraced exports a trace as JSON with OpenTelemetry's exporter for JavaScript, configured only by the documented environment
// variables. TestSendTraces_spans does so with the exporter that sends Protocol Buffers.
func TestJSExporter_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "exporter of JavaScript", 20*time.Second)
	p := newSpanPlane(t)
	checkExported(t, p, runNode(t, devservertest.InstallNPM(t), "otel.mjs", []string{
		"EXPORTER=http", "OTEL_EXPORTER_OTLP_ENDPOINT=" + p.Web.URL + "/otel", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
		"OTEL_EXPORTER_OTLP_HEADERS=x-api-key=sesame,Langsmith-Project=spans",
	}))
}

// TestGoExporter_unraced exports the same trace with the exporter of the Go SDK, from a program in a separate module that is configured as
// in the guide.
func TestGoExporter_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "exporter of Go", 20*time.Second)
	archive, err := txtar.ParseFile(filepath.Join("testdata", "goexporter.txtar"))
	devservertest.Must(t, err)
	files, err := txtar.FS(archive)
	devservertest.Must(t, err)
	dir := t.TempDir()
	devservertest.Must(t, os.CopyFS(dir, files))
	program := filepath.Join(dir, "goexporter")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", program, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %s\n%s", err, out)
	}
	p := newSpanPlane(t)
	run := exec.CommandContext(t.Context(), program)
	run.Env = documented(t, sendTraces, "TestSendTraces_spans", []string{
		"http://127.0.0.1:8124", p.Web.URL, "Langsmith-Project=chat", "Langsmith-Project=spans",
	}, "AGENTPLANE_API_KEY=sesame")
	printed, err := run.Output()
	if err != nil {
		failed, _ := errors.AsType[*exec.ExitError](err)
		t.Fatalf("%s\n%s", err, failed.Stderr)
	}
	checkExported(t, p, printed)
}

// checkExported compares a trace that an exporter has sent with its spans.
func checkExported(t *testing.T, p *plane, printed []byte) {
	t.Helper()
	var ids struct{ Root, Trace string }
	if err := json.Unmarshal(printed, &ids); err != nil {
		t.Fatalf("the program printed %s", printed)
	}
	root := runOf(ids.Root)
	page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"trace": root}).Want(http.StatusOK))
	runs := map[string]object{}
	for _, run := range page["runs"].([]any) {
		runs[run.(object)["name"].(string)] = run.(object)
	}
	want := map[string]object{
		"invoke_agent": {
			"run_type": "chain", "status": "success", "parent_run_id": nil, "thread_id": "thread-1", "prompt_tokens": 20.0, "completion_tokens": 10.0,
			"total_cost": "0.000065", "start_time": "2026-05-02T10:00:00.000000", "end_time": "2026-05-02T10:00:02.000000", "first_token_time": "2026-05-02T10:00:00.250000",
		},
		"chat example-large": {
			"run_type": "llm", "status": "success", "parent_run_id": root, "prompt_tokens": 20.0, "completion_tokens": 10.0, "total_cost": "0.000065",
			"prompt_token_details": object{"cache_read": 5.0}, "first_token_time": "2026-05-02T10:00:00.250000",
			"inputs": object{"messages": []any{object{"role": "user", "content": []any{object{"type": "text", "text": "What is the weather?"}}}}},
		},
		"weather": {
			"run_type": "tool", "status": "error", "parent_run_id": root, "total_tokens": 0.0, "inputs": object{"city": "Rome"},
		},
	}
	if len(runs) != len(want) {
		t.Errorf("%d runs in the trace, want %d", len(runs), len(want))
	}
	for name, fields := range want {
		for field, value := range fields {
			devservertest.Same(t, fmt.Sprintf("%s of %q", field, name), value, runs[name][field])
		}
	}
	if text, _ := runs["weather"]["error"].(string); !strings.HasPrefix(text, "no such city") {
		t.Errorf("error = %q, want \"no such city\"", text)
	}
	outputs := runs["chat example-large"]["outputs"].(object)["messages"]
	called := []any{object{"role": "assistant", "extras": object{"finish_reason": "tool_call"},
		"content": []any{object{"type": "tool_call", "id": "call_1", "name": "weather", "args": object{"city": "Rome"}}}}}
	devservertest.Same(t, "outputs", any(called), outputs)
	session := devservertest.Get[[]object](p, "/sessions?include_stats=true&name=spans")[0]
	figures := object{"run_count": 1.0, "total_tokens": 30.0, "total_cost": "0.000065", "streaming_rate": 1.0, "latency_p50": 2.0, "first_token_p50": 0.25}
	for field, value := range figures {
		devservertest.Same(t, fmt.Sprintf("%s of the project", field), value, session[field])
	}
}

// TestNPMClientSpans_unraced logs with the npm client in the mode in which it exports spans, children before parents.
func TestNPMClientSpans_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "npm client with spans", 20*time.Second)
	scripts := devservertest.InstallNPM(t)
	p := newSpanPlane(t)
	runNode(t, scripts, "otel_langsmith.mjs", []string{"LANGSMITH_OTEL_ENABLED=true", "LANGSMITH_TRACING=true", "LANGSMITH_ENDPOINT=" + p.Web.URL,
		"LANGSMITH_API_KEY=sesame", "LANGSMITH_PROJECT=spans"})
	session := devservertest.Get[[]object](p, "/sessions?include_stats=true&name=spans")[0]
	page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"session": []any{session["id"]}}).Want(http.StatusOK))
	got := map[string]object{}
	for _, run := range page["runs"].([]any) {
		r := run.(object)
		got[r["name"].(string)] = object{}
		for _, field := range []string{"run_type", "status", "prompt_tokens", "completion_tokens", "total_cost", "thread_id"} {
			got[r["name"].(string)][field] = r[field]
		}
		got[r["name"].(string)]["root"] = r["parent_run_id"] == nil
	}
	want := map[string]object{
		"agent": {"run_type": "chain", "status": "success", "prompt_tokens": 20.0, "completion_tokens": 10.0, "total_cost": "0.000065", "thread_id": "thread-1", "root": true},
		"model": {"run_type": "llm", "status": "success", "prompt_tokens": 20.0, "completion_tokens": 10.0, "total_cost": "0.000065", "thread_id": "thread-1", "root": false},
		"tool":  {"run_type": "tool", "status": "error", "prompt_tokens": 0.0, "completion_tokens": 0.0, "total_cost": nil, "thread_id": "thread-1", "root": false},
	}
	devservertest.Same(t, "runs", want, got)
	if session["run_count"] != 1.0 || session["total_cost"] != "0.000065" {
		t.Errorf("%v traces with a cost of %v, want 1 with 0.000065", session["run_count"], session["total_cost"])
	}
}
