package tracing_test

import (
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

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
