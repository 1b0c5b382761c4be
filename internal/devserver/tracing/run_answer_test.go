package tracing_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestRunAnswers reads a run in both versions of the API, and compares all documented fields.
func TestRunAnswers(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	root, call := ids["root"], ids["call"]
	order := orderOf(root) + ".20260502T100000500000Z" + call
	usage := object{"input_tokens": 20.0, "output_tokens": 10.0, "total_cost": "0.5", "input_token_details": object{"cache_read": 5.0}}
	inputs := object{"model": "example-large", "messages": []any{object{"role": "user", "content": "Why?"}}}
	outputs := object{"choices": []any{object{"message": object{"role": "assistant", "content": "Rayleigh."}}}, "usage_metadata": usage}
	events := []any{object{"name": "new_token", "time": "2026-05-02T10:00:00.75Z"}, object{"name": "new_token", "time": "2026-05-02T10:00:01Z"}}
	metadata := object{"revision": "r2", "other": "r1"}
	appPath := "/o/" + devservertest.WorkspaceA + "/projects/p/" + ids["agents"] + "/r/" + call + "?start_time=2026-05-02T10%3A00%3A00.500000&trace_id=" + root

	first := devservertest.Get[object](p, "/api/v1/runs/"+call)
	for key, want := range (object{
		"id": call, "name": "call", "run_type": "llm", "status": "success", "session_id": ids["agents"], "trace_id": root,
		"dotted_order": order, "parent_run_id": root, "parent_run_ids": []any{root}, "child_run_ids": []any{},
		"start_time": "2026-05-02T10:00:00.500000", "end_time": "2026-05-02T10:00:01.500000",
		"first_token_time": "2026-05-02T10:00:00.750000", "error": nil, "inputs": inputs, "outputs": outputs, "events": events,
		"extra": object{"metadata": metadata}, "serialized": nil, "tags": nil, "thread_id": nil,
		"prompt_tokens": 20.0, "completion_tokens": 10.0, "total_tokens": 30.0, "prompt_cost": nil, "completion_cost": nil, "total_cost": "0.5",
		"prompt_token_details": object{"cache_read": 5.0}, "price_model_id": nil, "app_path": appPath, "s3_urls": nil,
		"reference_example_id": nil, "execution_order": 1.0,
		"inputs_preview": `{"messages":[{"content":"Why?","role":"user"}],"model":"example-large"}`,
	}) {
		got, there := first[key]
		if diff := cmp.Diff(want, got); diff != "" || !there {
			t.Errorf("%s, present: %v (-want +got):\n%s", key, there, diff)
		}
	}

	all := "?project_id=" + ids["agents"] + "&selects=" + strings.Join([]string{"NAME", "RUN_TYPE", "STATUS", "PROJECT_ID", "TRACE_ID", "PARENT_RUN_IDS", "DOTTED_ORDER", "IS_ROOT",
		"START_TIME", "END_TIME", "LATENCY_SECONDS", "FIRST_TOKEN_TIME", "ERROR", "INPUTS", "OUTPUTS", "EVENTS", "EXTRA", "METADATA", "TAGS",
		"THREAD_ID", "PROMPT_TOKENS", "COMPLETION_TOKENS", "TOTAL_TOKENS", "PROMPT_COST", "TOTAL_COST", "PROMPT_TOKEN_DETAILS",
		"COMPLETION_TOKEN_DETAILS", "ATTACHMENTS", "APP_PATH"}, "&selects=")
	want := object{
		"id": call, "name": "call", "run_type": "LLM", "status": "SUCCESS", "project_id": ids["agents"], "trace_id": root,
		"parent_run_ids": []any{root}, "dotted_order": order, "is_root": false, "start_time": "2026-05-02T10:00:00.500000Z",
		"end_time": "2026-05-02T10:00:01.500000Z", "latency_seconds": 1.0, "first_token_time": "2026-05-02T10:00:00.750000Z",
		"inputs": inputs, "outputs": outputs, "events": events, "extra": object{"metadata": metadata}, "metadata": metadata,
		"prompt_tokens": 20.0, "completion_tokens": 10.0, "total_tokens": 30.0, "total_cost": 0.5, "cost_incomplete": []any{},
		"prompt_token_details": object{"raw": object{"cache_read": 5.0}}, "attachments": object{}, "app_path": appPath,
	}
	devservertest.Same(t, "API v2", want, devservertest.Get[object](p, "/api/v2/runs/"+call+all))
	devservertest.Same(t, "API v2 without selected fields", object{"id": call}, devservertest.Get[object](p, "/v2/runs/"+call))
	devservertest.Same(t, "url", p.Web.URL+appPath, devservertest.Get[object](p, "/v2/runs/"+call+"/url")["url"])
	for id, want := range map[string]object{ids["later"]: {"id": ids["later"], "ls_user_id": "u1"}, call: {"id": call}} {
		devservertest.Same(t, "the user of a run", want, devservertest.Get[object](p, "/v2/runs/"+id+"?selects=LS_USER_ID"))
	}
	// The root has the figures of its trace.
	above := devservertest.Get[object](p, "/runs/"+root)
	for key, want := range (object{
		"total_tokens": 30.0, "total_cost": "0.5", "first_token_time": "2026-05-02T10:00:00.750000", "price_model_id": nil,
		"parent_run_id": nil, "parent_run_ids": []any{}, "child_run_ids": []any{call, ids["tool"]}, "thread_id": "t1", "tags": []any{"prod", "a"},
	}) {
		devservertest.Same(t, "root, "+key, want, above[key])
	}
	if got := devservertest.Get[object](p, "/runs/"+ids["tool"]); got["status"] != "error" || got["error"] != "no such tool" {
		t.Errorf("failed run: status %v, error %v; want error, \"no such tool\"", got["status"], got["error"])
	}
}

// TestRunSelected checks that responses have exactly the selected fields, with null if there is no value.
func TestRunSelected(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{
		"id": []any{ids["root"]}, "select": []any{"id", "parent_run_id", "error"},
	}).Want(http.StatusOK))
	want := object{
		"runs":    []any{object{"id": ids["root"], "parent_run_id": nil, "error": nil}},
		"cursors": object{"next": nil, "prev": nil}, "search_cursors": nil, "parsed_query": nil,
	}
	devservertest.Same(t, "page", want, page)
}

// TestRunSelectedDetails checks that selecting a field includes its details. The Python package selects these fields by default,
// and reads the details.
func TestRunSelectedDetails(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	selected := []string{
		"app_path", "completion_cost", "completion_tokens", "dotted_order", "end_time", "error", "events", "extra", "feedback_stats",
		"first_token_time", "id", "inputs", "name", "outputs", "parent_run_id", "parent_run_ids", "prompt_cost", "prompt_tokens",
		"reference_example_id", "run_type", "session_id", "start_time", "status", "tags", "total_cost", "total_tokens", "trace_id",
	}
	page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"id": []any{ids["call"]}, "select": selected}).Want(http.StatusOK))
	run := page["runs"].([]any)[0].(object)
	devservertest.Same(t, "prompt_token_details", object{"cache_read": 5.0}, run["prompt_token_details"])
	for _, name := range []string{"completion_token_details", "prompt_cost_details", "completion_cost_details"} {
		if _, there := run[name]; !there {
			t.Errorf("the run has no %s", name)
		}
	}
}

func TestRunNotFound(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	p.Do(http.MethodGet, "/runs/"+runA, nil).Want(http.StatusNotFound).WantDetail("Run not found")
	p.Do(http.MethodGet, "/v2/runs/"+runA, nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/v2/runs/"+ids["root"]+"?project_id="+runA, nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/v2/runs/"+ids["root"]+"/url?project_id="+runA, nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/v2/runs/"+ids["root"]+"/url?project_id=agents", nil).Want(http.StatusUnprocessableEntity)
	p.Do(http.MethodGet, "/runs/agents", nil).Want(http.StatusUnprocessableEntity)
	p.Do(http.MethodGet, "/v2/runs/"+ids["root"]+"?selects=COLOUR", nil).Want(http.StatusUnprocessableEntity)
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodGet, "/runs/"+ids["root"], nil).Want(http.StatusNotFound)
}

func TestTraces(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	page := devservertest.Into[object](p.Do(http.MethodPost, "/v2/traces/query", object{
		"project_id": ids["agents"], "trace_ids": []any{ids["root"]}, "selects": []any{"NAME"},
	}).Want(http.StatusOK))
	want := object{"has_more": false, "items": []any{object{
		"root_run":         object{"id": ids["root"], "name": "root"},
		"trace_aggregates": object{"total_tokens": 30.0, "total_cost": 0.5, "first_token_time": "2026-05-02T10:00:00.750000Z"},
	}}}
	devservertest.Same(t, "traces", want, page)
	runs := devservertest.Get[object](p, "/v2/traces/"+ids["root"]+"/runs?selects=NAME&project_id="+ids["agents"])["items"].([]any)
	if len(runs) != 3 || runs[0].(object)["name"] != "root" {
		t.Errorf("runs of the trace = %v, want 3, root first", runs)
	}
	some := devservertest.Get[object](p, "/v2/traces/"+ids["root"]+"/runs?selects=NAME&filter="+strings.ReplaceAll(`eq(name,"tool")`, `"`, "%22"))["items"].([]any)
	if len(some) != 1 {
		t.Errorf("filtered runs of the trace = %v, want 1", some)
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{devservertest.RootRun(object{
		"name": "other", "start_time": "2026-05-02T09:00:00Z", "extra": object{"metadata": object{"session_id": nil, "conversation_id": "t2"}},
	})}}).Want(http.StatusAccepted)
	thread := object{
		"thread_id": "t1", "count": 2.0, "num_errored_turns": 0.0, "first_trace_id": ids["root"], "last_trace_id": ids["later"],
		"trace_id": ids["later"], "first_inputs": `{"question":"Why is the SKY blue?"}`, "start_time": "2026-05-02T10:05:00.000000Z",
		"min_start_time": "2026-05-02T10:00:00.000000Z", "max_start_time": "2026-05-02T10:05:00.000000Z",
		"latency_p50": 2.0, "latency_p99": 2.0, "total_tokens": 30.0, "total_cost": 0.5,
	}
	query := object{"project_id": ids["agents"], "page_size": 1}
	page := devservertest.Into[object](p.Do(http.MethodPost, "/v2/threads/query", query).Want(http.StatusOK))
	devservertest.Same(t, "first page", []any{thread}, page["items"])
	query["cursor"] = page["next_cursor"]
	page = devservertest.Into[object](p.Do(http.MethodPost, "/v2/threads/query", query).Want(http.StatusOK))
	if items := page["items"].([]any); len(items) != 1 || items[0].(object)["thread_id"] != "t2" || page["has_more"] != false {
		t.Errorf("second page = %v, want t2 only", page)
	}
	groups := devservertest.Into[object](p.Do(http.MethodPost, "/runs/group", object{"session_id": ids["agents"], "group_by": "conversation", "limit": 1, "offset": 0}).Want(http.StatusOK))
	if list := groups["groups"].([]any); len(list) != 1 || groups["total"] != 2.0 || list[0].(object)["filter"] != `eq(thread_id, "t1")` {
		t.Errorf("groups = %v, want t1 of 2", groups)
	}
	traces := devservertest.Get[object](p, "/v2/threads/t1/traces?project_id="+ids["agents"]+"&selects=NAME")["items"].([]any)
	devservertest.Same(t, "traces of the thread", []string{"later", "root"}, names(t, traces))
	// A turn keeps its number when a filter excludes others.
	turns := devservertest.Get[object](p, "/v2/threads/t1/traces?selects=TURN_NUMBER&selects=LATENCY&filter=eq(name,%22later%22)&project_id="+ids["agents"])["items"]
	devservertest.Same(t, "the second turn", []any{object{"trace_id": ids["later"], "thread_id": "t1", "turn_number": 2.0}}, turns)
	turns = devservertest.Get[object](p, "/v2/threads/t1/traces?selects=LATENCY&filter=eq(name,%22root%22)&project_id="+ids["agents"])["items"]
	devservertest.Same(t, "the first turn", []any{object{"trace_id": ids["root"], "thread_id": "t1", "latency": 2.0}}, turns)
	p.Rate(object{"run_id": ids["later"], "key": "k", "score": 1})
	p.Rate(object{"run_id": ids["root"], "key": "k", "score": 0})
	path := "/v2/threads/t1/stats?session_id=" + ids["agents"]
	stats := devservertest.Get[object](p, path)
	if stats["turns"] != 2.0 || stats["total_tokens"] != 30.0 || stats["first_start_time"] != "2026-05-02T10:00:00.000000Z" {
		t.Errorf("figures of the thread = %v, want 2 turns, 30 tokens, from 10:00", stats)
	}
	selected := devservertest.Get[object](p, path+"&selects=LATENCY_P50&selects=FEEDBACK_STATS")
	feedback, _ := selected["feedback_stats"].(object)["k"].(object)
	if len(selected) != 2 || selected["latency_p50_seconds"] != 2.0 || feedback["n"] != 2.0 || feedback["avg"] != 0.5 {
		t.Errorf("selected figures of the thread = %v, want latency 2 and the feedback only", selected)
	}
	p.Do(http.MethodGet, "/v2/threads/none/stats?session_id="+ids["agents"], nil).Want(http.StatusNotFound)
	// Neither a project nor a workspace shows the conversations of others.
	p.Do(http.MethodGet, "/v2/threads/t1/traces?project_id="+ids["root"], nil).Want(http.StatusNotFound)
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodGet, "/v2/threads/t1/traces", nil).Want(http.StatusNotFound)
	p.Do(http.MethodPost, "/v2/threads/query", object{"cursor": "none"}).Want(http.StatusBadRequest)
}
