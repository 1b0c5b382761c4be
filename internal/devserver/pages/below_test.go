package pages_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// figuresOfRun are those of a run as JSON, alone and with the runs below it.
type figuresOfRun struct {
	OwnTokens int64  `json:"own_tokens"`
	OwnCost   string `json:"own_cost"`
	Below     *struct {
		Runs, Errors, Interrupts int64
		TotalTokens              int64  `json:"total_tokens"`
		TotalCost                string `json:"total_cost"`
	}
}

// TestRunsBelow checks what pages say about a run alone, and about the run with everything below it.
func TestRunsBelow(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry()).Want(http.StatusOK)
	tokens := func(n int) object {
		return object{"usage_metadata": object{"input_tokens": n, "output_tokens": 0, "total_tokens": n}}
	}
	model := object{"metadata": object{"ls_model_name": "example-large"}}
	root := devservertest.RootRun(object{"name": "agent", "end_time": "2026-05-02T10:00:04Z"})
	step := devservertest.ChildRun(root, object{"name": "step", "run_type": "llm", "outputs": tokens(100), "extra": model, "end_time": "2026-05-02T10:00:03Z"})
	inner := devservertest.ChildRun(step, object{"name": "inner", "run_type": "llm", "outputs": tokens(30), "extra": model, "error": "boom", "end_time": "2026-05-02T10:00:02Z"})
	leaf := devservertest.ChildRun(inner, object{"name": "leaf", "run_type": "tool", "error": "boom", "end_time": "2026-05-02T10:00:01Z"})
	waiting := child(root, time.Date(2026, 5, 2, 10, 0, 1, 0, time.UTC), object{"name": "approval", "start_time": "2026-05-02T10:00:01Z", "run_type": "tool", "error": "GraphInterrupt(Interrupt(value='ok?'))", "end_time": "2026-05-02T10:00:04Z"})
	asked := child(waiting, time.Date(2026, 5, 2, 10, 0, 1, 0, time.UTC), object{"name": "ask", "start_time": "2026-05-02T10:00:01Z", "run_type": "tool", "error": "[]\n\nGraphInterrupt: []\n    at ask", "end_time": "2026-05-02T10:00:04Z"})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{root, step, inner, leaf, waiting, asked}}).Want(http.StatusAccepted)
	type below = struct {
		Runs, Errors, Interrupts int64
		TotalTokens              int64  `json:"total_tokens"`
		TotalCost                string `json:"total_cost"`
	}
	for _, tc := range []struct {
		run  object
		want figuresOfRun
	}{
		{root, figuresOfRun{0, "", &below{6, 2, 2, 130, "0.00026"}}},
		{step, figuresOfRun{100, "0.0002", &below{3, 2, 0, 130, "0.00026"}}},
		{inner, figuresOfRun{30, "0.00006", &below{2, 2, 0, 30, "0.00006"}}},
		{leaf, figuresOfRun{0, "", nil}},
		{waiting, figuresOfRun{0, "", &below{2, 0, 2, 0, ""}}},
	} {
		id := tc.run["id"].(string)
		of := asJSON[figuresOfRun](p, "/ui/runs/"+id)
		devservertest.Same(t, fmt.Sprintf("the page of run %s", tc.run["name"]), tc.want, of)
		selected := asJSON[struct{ Run figuresOfRun }](p, "/ui/traces/"+root["id"].(string)+"?run="+id)
		devservertest.Same(t, fmt.Sprintf("run %s on the page of its trace", tc.run["name"]), tc.want, selected.Run)
	}
	type node struct {
		Name        string
		OwnTokens   int64   `json:"own_tokens"`
		TotalTokens int64   `json:"total_tokens"`
		OwnCost     string  `json:"own_cost"`
		TotalCost   string  `json:"total_cost"`
		RunsBelow   int64   `json:"runs_below"`
		ErrorsBelow int64   `json:"errors_below"`
		SelfTime    float64 `json:"self_time"`
		Children    []node
	}
	// All three below began half a second after the root.
	want := []node{{"agent", 0, 130, "", "0.00026", 5, 2, 0.5, []node{
		{"step", 100, 130, "0.0002", "0.00026", 2, 2, 1, []node{{"inner", 30, 30, "0.00006", "0.00006", 1, 1, 1, []node{{"leaf", 0, 0, "", "", 0, 0, 0.5, []node{}}}}}},
		{"approval", 0, 0, "", "", 1, 0, 0, []node{{"ask", 0, 0, "", "", 0, 0, 3, []node{}}}},
	}}}
	tree := asJSON[struct{ Roots []node }](p, "/ui/traces/"+root["id"].(string))
	devservertest.Same(t, "the tree", want, tree.Roots)
}

// TestTotalsWithoutParent counts a run once whose parent hasn't arrived.
func TestTotalsWithoutParent(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	root := devservertest.RootRun(object{"name": "agent"})
	late := devservertest.ChildRun(root, object{"name": "step"})
	failed := devservertest.ChildRun(late, object{"name": "tool", "error": "no answer"})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{root, failed}}).Want(http.StatusAccepted)
	contains(t, read(p, "/ui/traces/"+root["id"].(string)), "<dt>Runs</dt><dd>2<", "<dt>Errors</dt><dd>1<")
}
