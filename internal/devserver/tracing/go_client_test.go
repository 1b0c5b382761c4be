package tracing_test

import (
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestGoClient logs the same as TestNPMClient_unraced, as a client that compresses with zstd and doesn't read the server's info first: a trace
// with streaming, calls in the formats of two providers, files, a failure, and a thousand runs on several connections. Then
// it reads them back.
func TestGoClient(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "load of one client", 5*time.Second)
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "runs.db")}))
	p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry(object{"prompt_cost_details": object{"cache_read": 0.000001}})).Want(http.StatusOK)

	root := devservertest.RootRun(object{"name": "agent", "tags": []any{"smoke"}})
	question := object{"model": "example-large", "messages": []any{object{"role": "user", "content": "Hi"}}}
	streamed := devservertest.ChildRun(root, object{"name": "streamed", "inputs": question})
	whole := devservertest.ChildRun(root, object{
		"name": "whole", "inputs": question, "end_time": "2026-05-02T10:00:02Z",
		"outputs": object{"choices": []any{object{"message": object{"role": "assistant", "content": "Hello!"}}},
			"usage": object{"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30, "prompt_tokens_details": object{"cached_tokens": 5}}},
	})
	additive := devservertest.ChildRun(root, object{
		"name": "additive", "inputs": question, "end_time": "2026-05-02T10:00:02Z",
		"outputs": object{"type": "message", "role": "assistant", "content": []any{object{"type": "text", "text": "Hello!"}},
			"usage": object{"input_tokens": 7, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 120, "output_tokens": 9}},
	})
	failing := devservertest.ChildRun(root, object{"name": "failing", "run_type": "tool", "error": "no such tool", "end_time": "2026-05-02T10:00:02Z"})
	devservertest.NewUpload(t).Add("post", root).Add("post", streamed).Add("post", whole).Add("post", additive).Add("post", failing).
		Attach(root["id"].(string), "notes", "text/plain", "hello").Send(p).Want(http.StatusAccepted)
	end := func(run object, at string, more object) object {
		return devservertest.With(object{"id": run["id"], "trace_id": run["trace_id"], "dotted_order": run["dotted_order"], "end_time": at}, more)
	}
	devservertest.NewUpload(t).Add("patch", end(streamed, "2026-05-02T10:00:01.5Z", object{
		"outputs": object{"messages": []any{object{"role": "assistant", "content": []any{object{"type": "text", "text": "Hello!"}},
			"usage_metadata": object{"input_tokens": 4, "output_tokens": 3}}}},
		"events": []any{object{"name": "new_token", "time": "2026-05-02T10:00:00.75Z"}, object{"name": "new_token", "time": "2026-05-02T10:00:01Z"}},
	})).Add("patch", end(root, "2026-05-02T10:00:03Z", nil)).Send(p).Want(http.StatusAccepted)

	want := map[string]object{
		// 4 × 2 + 3 × 3, 15 × 2 + 5 × 1 + 10 × 3 and 127 × 2 + 30 × 1 + 9 × 3 millionths.
		"streamed": {"prompt_tokens": 4.0, "completion_tokens": 3.0, "total_cost": "0.000017", "status": "success", "first_token_time": "2026-05-02T10:00:00.750000"},
		"whole":    {"prompt_tokens": 20.0, "completion_tokens": 10.0, "total_cost": "0.000065", "status": "success", "first_token_time": nil},
		"additive": {"prompt_tokens": 157.0, "completion_tokens": 9.0, "total_cost": "0.000311", "status": "success", "first_token_time": nil},
		"failing":  {"prompt_tokens": 0.0, "completion_tokens": 0.0, "total_cost": nil, "status": "error", "first_token_time": nil},
		"agent":    {"prompt_tokens": 181.0, "completion_tokens": 22.0, "total_cost": "0.000393", "status": "success", "first_token_time": "2026-05-02T10:00:00.750000"},
	}
	page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"trace": root["id"]}).Want(http.StatusOK))
	got := map[string]object{}
	for _, run := range page["runs"].([]any) {
		r := run.(object)
		got[r["name"].(string)] = object{}
		for key := range want["agent"] {
			got[r["name"].(string)][key] = r[key]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs of the trace (-want +got):\n%s", diff)
	}
	if content := p.Do(http.MethodGet, addressOf(t, p, root["id"].(string), "notes"), nil).Want(http.StatusOK); string(content.Body) != "hello" {
		t.Errorf("attachment = %q, want hello", content.Body)
	}

	logMany(p)
	for project, figures := range map[string]object{
		"agents": {"run_count": 1.0, "total_tokens": 203.0, "total_cost": "0.000393", "error_rate": 0.0, "streaming_rate": 1.0, "latency_p50": 3.0, "first_token_p50": 0.75},
		"many":   {"run_count": 1000.0, "total_tokens": 7000.0, "total_cost": "0.017", "error_rate": 0.0, "streaming_rate": 0.0, "latency_p50": 1.0, "first_token_p50": nil},
	} {
		session := devservertest.Get[[]object](p, "/sessions?include_stats=true&name="+project)[0]
		for key, want := range figures {
			if diff := cmp.Diff(want, session[key]); diff != "" {
				t.Errorf("%s of %s (-want +got):\n%s", key, project, diff)
			}
		}
	}
}

// logMany logs a thousand runs, a hundred operations at a time, on several connections in no particular order.
func logMany(p *plane) {
	p.T.Helper()
	const runs, together, connections = 1000, 50, 5
	uploads := make(chan *devservertest.Upload, runs/together)
	for range cap(uploads) {
		u := devservertest.NewUpload(p.T)
		for i := range together {
			run := devservertest.RootRun(object{
				"name": fmt.Sprint("run ", i), "session_name": "many", "run_type": "llm", "inputs": object{"model": "example-large", "i": math.MaxInt32},
			})
			u.Add("patch", object{"id": run["id"], "trace_id": run["trace_id"], "dotted_order": run["dotted_order"],
				"end_time": "2026-05-02T10:00:01Z", "outputs": object{"usage_metadata": object{"input_tokens": 4, "output_tokens": 3}}}).Add("post", run)
		}
		uploads <- u
	}
	close(uploads)
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			for u := range uploads {
				if r := u.Send(p); r.Err != nil || r.Status != http.StatusAccepted {
					p.T.Errorf("status %d, %v, want 202: %s", r.Status, r.Err, r.Body)
				}
			}
		})
	}
	all.Wait()
}
