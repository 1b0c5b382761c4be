package pages_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// logThread logs a conversation, whose turns call a model each, and returns the path of its page. The last turn failed.
func logThread(p *plane, turns int) string {
	p.T.Helper()
	setPrice(p)
	var all []any
	for i := range turns {
		start := time.Date(2026, 5, 2, 10, i, 0, 0, time.UTC)
		root := devservertest.RootRun(object{
			"name": "turn", "start_time": start.Format(time.RFC3339), "end_time": start.Add(2 * time.Second).Format(time.RFC3339),
			"inputs": object{"question": fmt.Sprintf("Question %d?", i+1)}, "outputs": object{"answer": fmt.Sprintf("Answer %d.", i+1)},
			"extra": object{"metadata": object{"thread_id": "a talk"}},
		})
		call := child(root, start, object{"run_type": "llm", "outputs": object{"usage_metadata": object{"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}},
			"extra": object{"metadata": object{"ls_model_name": "example-large"}}})
		if i == turns-1 {
			root["error"] = "too late"
		}
		all = append(all, root, call)
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	project := devservertest.Get[[]object](p, "/sessions?name=agents")[0]["id"].(string)
	return "/ui/projects/" + project + "/threads?thread=a+talk"
}

// TestThread checks the order, the numbers and the totals of a conversation, page by page.
func TestThread(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	path := logThread(p, 60)
	type thread struct {
		Turns, Errors    int
		TotalTokens      int64  `json:"total_tokens"`
		PromptTokens     int64  `json:"prompt_tokens"`
		CompletionTokens int64  `json:"completion_tokens"`
		TotalCost        string `json:"total_cost"`
		OrderURL         string `json:"order_url"`
		Shown            []struct {
			Number int
			Run    struct{ Outputs string }
		}
		Paging struct {
			NextURL string `json:"next_url"`
		}
	}
	count := func(from, by, n int) (numbers []int) {
		for range n {
			numbers = append(numbers, from)
			from += by
		}
		return numbers
	}
	newest := asJSON[thread](p, path)
	for _, tc := range []struct {
		view    thread
		numbers []int
	}{
		{newest, count(60, -1, 50)}, {asJSON[thread](p, newest.Paging.NextURL), count(10, -1, 10)}, {asJSON[thread](p, newest.OrderURL), count(1, 1, 50)},
		{asJSON[thread](p, asJSON[thread](p, newest.OrderURL).Paging.NextURL), count(51, 1, 10)},
	} {
		var numbers []int
		for _, turn := range tc.view.Shown {
			numbers = append(numbers, turn.Number)
			if want := fmt.Sprintf("Answer %d.", turn.Number); turn.Run.Outputs != want {
				t.Errorf("turn %d says %q, want %q", turn.Number, turn.Run.Outputs, want)
			}
		}
		if !slices.Equal(numbers, tc.numbers) {
			t.Errorf("turns %v, want %v", numbers, tc.numbers)
		}
		// 60 calls with 100 and 10 tokens, at $2 and $3 a million.
		got := []any{tc.view.Turns, tc.view.Errors, tc.view.PromptTokens, tc.view.CompletionTokens, tc.view.TotalTokens, tc.view.TotalCost}
		devservertest.Same(t, "totals", []any{60, 1, int64(6000), int64(600), int64(6600), "0.0138"}, got)
	}
}

// TestReadThread_unraced opens a long conversation: its last turn and its cost are visible at once, with and without scripts.
func TestReadThread_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "reading a conversation in Chromium", 20*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	path := logThread(p, 60)
	onScreens(t, func(b *tab) { b.open(p.Web.URL+path).sees("Question 60?", "Answer 60.", "$0.0138", "too late") })
}
