package pages_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
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

// TestThread checks the order, the numbers and the totals of a conversation, page by page, and a search in it.
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
		Shown            []struct {
			Number int
			Output struct{ Text string }
		}
		Paging struct {
			NextURL     string `json:"next_url"`
			PreviousURL string `json:"previous_url"`
		}
	}
	newest := asJSON[thread](p, path)
	oldest := asJSON[thread](p, newest.Paging.PreviousURL)
	count := func(from, to int) (numbers []int) {
		for n := from; n <= to; n++ {
			numbers = append(numbers, n)
		}
		return numbers
	}
	for _, tc := range []struct {
		view    thread
		numbers []int
	}{
		{newest, count(11, 60)}, {oldest, count(1, 50)}, {asJSON[thread](p, oldest.Paging.NextURL), count(51, 60)}, {asJSON[thread](p, path+"&find=ANSWER+5"), []int{5, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59}},
	} {
		var numbers []int
		for _, turn := range tc.view.Shown {
			numbers = append(numbers, turn.Number)
			if want := fmt.Sprintf("Answer %d.", turn.Number); turn.Output.Text != want {
				t.Errorf("turn %d says %q, want %q", turn.Number, turn.Output.Text, want)
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

// TestTurn checks what a turn of a graph shows: the new message with its image, the answer without the history, the calls of tools, and how
// many messages are left out.
func TestTurn(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	history := []any{
		object{"role": "system", "content": "Be brief."}, object{"role": "user", "content": "An old question?"}, object{"role": "assistant", "content": "An old answer."},
		object{"role": "user", "content": []any{object{"type": "text", "text": "What is this?"}, object{"type": "image", "base64": onePixel, "mime_type": "image/png"}}},
	}
	root := devservertest.RootRun(object{
		"inputs":   object{"messages": history, "customer": "Ada", "about": "pixels"},
		"outputs":  object{"messages": append(history[:4:4], object{"role": "assistant", "content": "A pixel."}), "summary": "One."},
		"end_time": "2026-05-02T10:00:04Z", "extra": object{"metadata": object{"thread_id": "a talk"}},
	})
	tool := devservertest.ChildRun(root, object{"name": "look", "run_type": "tool", "inputs": object{"at": "the image"}, "outputs": object{"output": "1 x 1"}, "end_time": "2026-05-02T10:00:02Z"})
	last := devservertest.RootRun(object{"start_time": "2026-05-02T10:10:00Z", "end_time": "2026-05-02T10:10:04Z", "extra": object{"metadata": object{"thread_id": "a talk"}}})
	devservertest.NewUpload(t).Add("post", root).Add("post", tool).Add("post", last).Attach(tool["id"].(string), "photo", "image/png", "PNG").
		Attach(last["id"].(string), "one", "image/png", "PNG").Attach(last["id"].(string), "two", "image/png", "PNG").Send(p).Want(http.StatusAccepted)
	project := devservertest.Get[[]object](p, "/sessions?name=agents")[0]["id"].(string)
	threads := "/ui/projects/" + project + "/threads"
	text := read(p, threads+"?thread=a+talk")
	contains(t, text, "What is this?", `<img src="data:image/png;base64,`, "A pixel.", "3 messages of the system or of earlier turns left out", "4 messages before the answer left out", "1 call of a tool", "the image → 1 x 1",
		"Other fields left out: about, customer. <a", "Other fields left out: summary. <a")
	if strings.Contains(text, "An old") {
		t.Error("the turn repeats the history")
	}
	if files := regexp.MustCompile(`\d attachments? (is|are) on <a`).FindAllString(text, -1); !slices.Equal(files, []string{"1 attachment is on <a", "2 attachments are on <a"}) {
		t.Errorf("attachments of the turns: %q, want one of the first and two of the last", files)
	}
	for query, want := range map[string]bool{"pixel": true, "nonsense": false} {
		if got := strings.Contains(read(p, threads+"?q="+query), "thread=a+talk"); got != want {
			t.Errorf("the search for %s finds the thread: %v, want %v", query, got, want)
		}
	}
}

// TestThreadContents checks that the turns of a page share what is read for them, and that a call which isn't read is marked.
func TestThreadContents(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	long := strings.Repeat("x", 2<<20) // It takes little space when it is packed.
	for turn, calls := range []int{1, 17} {
		start := time.Date(2026, 5, 2, 10, turn, 0, 0, time.UTC)
		root := devservertest.RootRun(object{"start_time": start.Format(time.RFC3339), "extra": object{"metadata": object{"thread_id": "a talk"}}})
		p.Do(http.MethodPost, "/runs", root).Want(http.StatusAccepted)
		for range calls {
			p.Do(http.MethodPost, "/runs", child(root, start, object{"run_type": "tool", "inputs": object{"at": "the sea"}, "outputs": object{"output": long}})).Want(http.StatusAccepted)
		}
	}
	project := devservertest.Get[[]object](p, "/sessions?name=agents")[0]["id"].(string)
	var lines []string
	for _, turn := range asJSON[struct {
		Shown []struct{ Calls []struct{ Line string } }
	}](p, "/ui/projects/"+project+"/threads?thread=a+talk").Shown {
		lines = append(lines, turn.Calls[0].Line)
	}
	devservertest.Same(t, "the first call of each turn", []string{"…", "the sea → …"}, lines)
}

// TestReadThread_unraced opens a long conversation: its last turn and its cost are visible at once, with and without scripts.
func TestReadThread_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "reading a conversation in Chromium", 20*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	path := logThread(p, 60)
	onScreens(t, func(b *tab) { b.open(p.Web.URL+path).sees("Question 60?", "Answer 60.", "$0.0138", "too late") })
}
