package pages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// mostClicks is how many clicks a task may take from the first page.
const mostClicks = 4

// rolledOut makes a project whose deployment was rolled out at 10:00. Each trace costs a cent and has two calls of tools. Four of them were
// logged the day before; of today, four use prompt a, and after the rollout, four use prompt b with another model, and three of these fail.
func rolledOut(t *testing.T) *plane {
	t.Helper()
	p := devservertest.New(t, devserver.Config{}).As()
	deployment := p.Create(devservertest.ImageRequest("chat"))
	p.Clock.Advance(2 * time.Hour)
	var all []any
	for _, one := range []struct {
		at, model, prompt, revision string
		seconds, failures           int
	}{
		{"2026-05-01T09:00:0%dZ", "small", "a", "older", 2, 0}, {"2026-05-02T09:00:0%dZ", "small", "a", "older", 3, 1},
		{"2026-05-02T11:00:0%dZ", "large", "b", *deployment.LatestRevisionID, 6, 3},
	} {
		for i := range 4 {
			begun, err := time.Parse(time.RFC3339, fmt.Sprintf(one.at, i))
			devservertest.Must(t, err)
			times := func(seconds int, o object) object {
				o["session_name"], o["start_time"], o["end_time"] = "chat", begun.Format(time.RFC3339), begun.Add(time.Duration(seconds)*time.Second).Format(time.RFC3339)
				return o
			}
			root := devservertest.RootRun(times(one.seconds, object{"name": "agent", "extra": object{"metadata": object{"prompt": one.prompt, "revision_id": one.revision}}}))
			if i < one.failures {
				root["error"] = "TimeoutError: no answer"
			}
			all = append(all, root, devservertest.ChildRun(root, times(1, object{"name": "search", "run_type": "tool"})), devservertest.ChildRun(root, times(one.seconds-1, object{"name": "fetch", "run_type": "tool"})),
				devservertest.ChildRun(root, times(1, object{"name": "model", "run_type": "llm", "extra": object{"metadata": object{"ls_model_name": one.model}},
					"outputs": object{"usage_metadata": object{"input_tokens": 9, "output_tokens": 1, "total_tokens": 10, "total_cost": 0.01}}})))
		}
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	return p
}

// cells returns the texts of some columns of the first rows of a table, as a user sees them.
func (b *tab) cells(table string, columns ...int) [][]string {
	b.t.Helper()
	wanted, err := json.Marshal(columns)
	devservertest.Must(b.t, err)
	return value[[][]string](b, `[...document.querySelectorAll(`+table+`)].map(r => `+string(wanted)+`.map(i => r.cells[i].innerText.replace(/\s+/g, " ").trim()))`)
}

// TestTasks_unraced does tasks of users, with and without scripts. Figures that aren't rolled up are a click farther without.
func TestTasks_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "tasks in Chromium", 60*time.Second)
	p := rolledOut(t)
	const groups = `"table.groups:not(:has(time)) tbody tr"`
	onScreens(t, func(b *tab) {
		for _, tc := range []struct {
			task    string
			clicks  []string
			columns []int
			want    [][]string
		}{
			{"the costliest model", []string{"Projects"}, []int{0, 1, 4}, [][]string{{"large", "4", "$0.04"}, {"small", "4 was 4 the same", "$0.04 was $0.04 the same"}}},
			{"why did the cost double", []string{"Projects", "chat", "by model"}, []int{0, 4}, [][]string{{"large", "$0.04"}, {"small", "$0.04 was $0.04 the same"}}},
			{"the slowest tool", []string{"Projects", "chat", "by tool", "p95"}, []int{0, 1, 6}, [][]string{
				{"fetch", "8 was 4 +100 %", "5.00 s was 1.00 s +400 %"}, {"search", "8 was 4 +100 %", "1.00 s was 1.00 s the same"},
			}},
			{"two prompts", []string{"Projects", "chat", "by metadata.prompt"}, []int{0, 2, 5}, [][]string{
				{"a", "1 (25 %) was 0 +25 points", "3.00 s was 2.00 s +50 %"}, {"b", "3 (75 %)", "6.00 s"},
			}},
			{"errors after a rollout", []string{"Projects", "chat", "by revision"}, []int{2}, [][]string{{"3 (75 %)"}, {"1 (25 %) was 0 +25 points"}}},
		} {
			b.open(p.Web.URL + "/ui")
			for _, link := range tc.clicks {
				b.follow(link, "")
			}
			clicks := len(tc.clicks)
			if !b.scripts && value[bool](b, `!!document.querySelector("[data-figures-url]")`) {
				b.follow("Show the figures of these runs", "")
				clicks++
			}
			b.until(`!document.querySelector("[data-figures-url]")`)
			got := b.cells(groups, tc.columns...)
			if diff := cmp.Diff(tc.want, got); diff != "" || clicks > mostClicks {
				t.Errorf("%s, scripts %v, %d clicks (-want +got):\n%s", tc.task, b.scripts, clicks, diff)
			}
		}
		if marks := value[[]string](b, `[...document.querySelectorAll("#chart-errors .event title")].map(e => e.textContent)`); len(marks) != 1 {
			t.Errorf("marks of rollouts in the chart of errors = %q, want one", marks)
		}
		b.says("Rollouts, marked").says("registry.example:5000/team/agent:1.0")
	})
}

// TestFirstTrace_unraced logs the first trace with the command that an empty server shows, and opens it.
// TestAccPage_firstDeployment applies the configuration that it shows.
func TestFirstTrace_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "the first trace in Chromium", 15*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	b := newTab(devservertest.NewBrowser(t), t).open(p.Web.URL + "/ui")
	command := value[string](b, `[...document.querySelectorAll("pre")].map(e => e.textContent).find(text => text.startsWith("curl"))`)
	if output, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, output)
	}
	b.follow("Projects", "default").follow("default", "Hello").follow("hello", "Hi!")
}
