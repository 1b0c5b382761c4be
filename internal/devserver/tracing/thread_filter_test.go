package tracing_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestThreadFilter filters conversations by their figures, with full pages, and in the figures of all conversations.
func TestThreadFilter(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	var all []any
	// Thread n has n turns of n+1 seconds. In threads with an even number, the last turn fails.
	for n := 1; n <= 4; n++ {
		for turn := range n {
			run := devservertest.RootRun(object{
				"name": "turn", "start_time": fmt.Sprintf("2026-05-02T0%d:0%d:00Z", n, turn), "end_time": fmt.Sprintf("2026-05-02T0%d:0%d:0%dZ", n, turn, n+1),
				"run_type": "llm", "extra": object{"metadata": object{"thread_id": fmt.Sprint("t", n)}},
				"outputs": object{"usage_metadata": object{"input_tokens": 10, "output_tokens": n, "total_tokens": 10 + n, "total_cost": 0.1}},
			})
			if turn == n-1 && n%2 == 0 {
				run["error"] = "boom"
			}
			all = append(all, run)
		}
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	project := devservertest.Get[[]object](p, "/sessions?name=agents")[0]["id"]
	first := all[0].(object)["id"]  // The turn of t1.
	second := all[1].(object)["id"] // The first turn of t2.
	third := all[3].(object)["id"]  // The first turn of t3.
	p.Rate(object{"run_id": first, "key": "solved", "score": true})
	p.Rate(object{"run_id": first, "key": "tone", "score": 0.2})
	p.Rate(object{"run_id": second, "key": "solved", "score": false, "value": "partly"})
	p.Rate(object{"run_id": third, "key": "tone", "score": 1})
	query := func(filter string, more object) (found []string) {
		t.Helper()
		body := devservertest.With(object{"project_id": project, "min_start_time": "2026-05-01T00:00:00Z", "thread_filter": filter}, more)
		for cursor := any(nil); ; {
			body["cursor"] = cursor
			page := devservertest.Into[object](p.Do(http.MethodPost, "/api/v2/threads/query", body).Want(http.StatusOK))
			items, _ := page["items"].([]any)
			for _, item := range items {
				id, _ := item.(object)["thread_id"].(string)
				found = append(found, id)
			}
			if cursor = page["next_cursor"]; cursor == nil {
				return found
			}
			if len(items) == 0 {
				t.Fatalf("%s: got an empty page with a cursor", filter)
			}
		}
	}
	for filter, want := range map[string][]string{
		"":                         {"t4", "t3", "t2", "t1"},
		"gt(turn_count, 2)":        {"t4", "t3"},
		"lte(turn_count, 2)":       {"t2", "t1"},
		"in(turn_count, [1,4])":    {"t4", "t1"},
		"eq(num_errored_turns, 1)": {"t4", "t2"},
		`and(eq(num_errored_turns, 0), not(eq(thread_id, "t1")))`: {"t3"},
		`or(eq(thread_id, "t1"), eq(thread_id, "t3"))`:            {"t3", "t1"},
		// Durations from the first start to the last end: 2 s, 1 min 3 s, 2 min 4 s, 3 min 5 s.
		`gte(thread_duration, "2m4s")`:                                        {"t4", "t3"},
		`lt(trace_latency_p50, 3)`:                                            {"t1"},
		`gt(trace_latency_p99, "4s")`:                                         {"t4"},
		`gte(total_tokens, 39)`:                                               {"t4", "t3"},
		`eq(completion_tokens, 4)`:                                            {"t2"},
		`eq(total_cost, 0.2)`:                                                 {"t2"},
		`eq(prompt_cost, null)`:                                               {"t4", "t3", "t2", "t1"},
		`gt(prompt_token_details.cache_read, 0)`:                              nil,
		`eq(feedback_key, "tone")`:                                            {"t3", "t1"},
		`neq(feedback_key, "tone")`:                                           {"t4", "t2"},
		`and(eq(feedback_key, "tone"), gte(feedback_score, 1))`:               {"t3"},
		`and(eq(feedback_key, "solved"), eq(feedback_score, false))`:          {"t2"},
		`and(and(eq(feedback_key, "solved")), and(eq(feedback_key, "tone")))`: {"t1"},
		`and(eq(feedback_key, "solved"), eq(feedback_value, "partly"))`:       {"t2"},
		`and(neq(feedback_key, "tone"), eq(feedback_key, "solved"))`:          {"t2"},
		// Without a key, no feedback may have the value; the filters of runs mean the same.
		`neq(feedback_value, "partly")`:                                     {"t4", "t3", "t1"},
		`eq(feedback_key, null)`:                                            {"t4"},
		`and(in(feedback_key, ["tone","solved"]), lt(feedback_score, 0.5))`: {"t2", "t1"},
	} {
		for _, size := range []int{1, 2, 100} {
			devservertest.Same(t, fmt.Sprintf("%s in pages of %d", filter, size), want, query(filter, object{"page_size": size}))
		}
	}
	if got := query("eq(turn_count, 1)", object{"filter": `eq(status, "error")`}); len(got) != 2 {
		t.Errorf("conversations with one failed turn = %v, want two", got)
	}
	stats := devservertest.Into[object](p.Do(http.MethodPost, "/api/v2/threads/stats", object{
		"project_id": project, "min_start_time": "2026-05-01T00:00:00Z", "thread_filter": "gt(turn_count, 2)",
		"select": []any{"THREAD_COUNT", "TRACE_COUNT"}, "run_type": "tool", // Which has no effect.
	}).Want(http.StatusOK))
	devservertest.Same(t, "statistics", object{"thread_count": 2.0, "trace_count": 7.0}, stats)
	for _, wrong := range []string{"turn_count", `eq(name, "x")`, `search("x")`, `or(eq(turn_count, 1), like(thread_id, "t%"))`, `gt(thread_duration, "long")`} {
		p.Do(http.MethodPost, "/api/v2/threads/query", object{"project_id": project, "thread_filter": wrong}).Want(http.StatusBadRequest)
	}
}

// TestThreadFeedback checks that a conversation's figures include feedback on its traces and on itself.
func TestThreadFeedback(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	list := func() any {
		page := devservertest.Into[object](p.Do(http.MethodPost, "/api/v2/threads/query", object{"project_id": ids["agents"]}).Want(http.StatusOK))
		return page["items"].([]any)[0].(object)["feedback_stats"]
	}
	together := func() any {
		query := object{"project_id": ids["agents"], "select": []any{"THREAD_COUNT", "THREAD_FEEDBACK_STATS"}}
		return devservertest.Into[object](p.Do(http.MethodPost, "/api/v2/threads/stats", query).Want(http.StatusOK))["thread_feedback_stats"]
	}
	if of, all := list(), together(); of != nil || all != nil {
		t.Errorf("figures without feedback = %v and %v, want null", of, all)
	}
	for _, said := range []object{
		{"run_id": ids["root"], "key": "correct", "score": 0.5, "comment": "so so"},
		{"run_id": ids["later"], "key": "correct", "score": 1, "feedback_source": object{"type": "model"}},
		{"run_id": ids["later"], "key": "solved", "score": true, "feedback_thread_id": "t1"},
		{"run_id": ids["call"], "key": "brief", "score": 1}, // On a child run.
		{"run_id": ids["elsewhere"], "key": "correct", "score": 0},
	} {
		p.Rate(said)
	}
	solved := object{"n": 1.0, "avg": 1.0, "stdev": nil, "min": 1.0, "max": 1.0, "errors": 0.0, "values": object{},
		"comments": []any{}, "sources": []any{"api"}, "contains_thread_feedback": true}
	want := object{"solved": solved, "correct": object{
		"n": 2.0, "avg": 0.75, "stdev": 0.3535533905932738, "min": 0.5, "max": 1.0, "errors": 0.0, "values": object{}, // The square root of 1/8.
		"comments": []any{"so so"}, "sources": []any{"api", "model"}, "contains_thread_feedback": false,
	}}
	devservertest.Same(t, "feedback in a list", want, list(), nearly)
	one := devservertest.Get[object](p, "/api/v2/threads/t1/stats?selects=FEEDBACK_STATS&session_id="+ids["agents"])
	devservertest.Same(t, "feedback of one conversation", want, one["feedback_stats"], nearly)
	devservertest.Same(t, "feedback of all conversations", object{"solved": solved}, together(), nearly)
	// A run's own statistics don't include those of conversations.
	run := devservertest.Get[object](p, "/runs/"+ids["later"])["feedback_stats"].(object)["solved"].(object)
	if run["contains_thread_feedback"] != false {
		t.Errorf("contains_thread_feedback of a run must be false: %v", run)
	}
}
