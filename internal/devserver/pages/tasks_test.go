package pages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
)

// mostClicks is how many clicks a task may take from the first page.
const mostClicks = 4

// rolledOut makes a project whose deployment was rolled out at 10:00. Each trace costs a cent and has two calls of tools. Four of them were
// logged the day before; of today, four use prompt a, and after the rollout, four use prompt b with another model, and three of these fail.
func rolledOut(t *testing.T) (p *plane, revision string) {
	t.Helper()
	p = devservertest.New(t, devserver.Config{}).As()
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
				devservertest.ChildRun(root, times(one.seconds, object{"name": "model", "run_type": "llm", "extra": object{"metadata": object{"ls_model_name": one.model}},
					"outputs": object{"usage_metadata": object{"input_tokens": 9, "output_tokens": 1, "total_tokens": 10, "total_cost": 0.01}}})))
		}
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	return p, *deployment.LatestRevisionID
}

// cells returns the texts of some columns of the first rows of a table, as a user sees them.
func (b *tab) cells(table string, columns ...int) [][]string {
	b.t.Helper()
	wanted, err := json.Marshal(columns)
	devservertest.Must(b.t, err)
	return value[[][]string](b, `[...document.querySelectorAll(`+table+`)].map(r => `+string(wanted)+`.map(i => r.cells[i].innerText.replace(/\s+/g, " ").trim()))`)
}

// TestTasks_unraced does tasks of users from the first page, with and without scripts. A step is the text of a link or of a button, or
// FIELD=TEXT, which is typed. Figures that aren't rolled up are a click farther without scripts.
func TestTasks_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "tasks in Chromium", 90*time.Second)
	figures, revision := rolledOut(t)
	const shared = `a[href^='/public/']` // Leads to what somebody else sees.
	const groups = `"table.groups:not(:has(time)) tbody tr"`
	browser := devservertest.NewBrowser(t)
	for _, b := range []*tab{newTab(browser, t).screen(1440, 900), newTab(browser, t).screen(1440, 900).withoutScripts()} {
		traces, _, _ := failedRollout(t) // Tasks change it.
		logThread(traces, 20)
		logAgent(traces, 150) // 300 steps below one root: a call of the model and one of a tool in turn.
		for _, tc := range []struct {
			task    string
			on      *plane
			steps   []string
			columns []int
			want    [][]string // The columns of the table of groups.
			in      string     // What shows the answers.
			sees    []string
		}{
			{"the costliest model", figures, []string{"Projects"}, []int{0, 1, 4}, [][]string{{"large", "4", "$0.04"}, {"small", "4 was 4 the same", "$0.04 was $0.04 the same"}}, "", nil},
			{"why did the cost double", figures, []string{"Projects", "chat", "by model"}, []int{0, 4}, [][]string{{"large", "$0.04"}, {"small", "$0.04 was $0.04 the same"}}, "", nil},
			{"the slowest tool", figures, []string{"Projects", "chat", "by tool", "p95"}, []int{0, 1, 6}, [][]string{
				{"fetch", "8 was 4 +100 %", "5.00 s was 1.00 s +400 %"}, {"search", "8 was 4 +100 %", "1.00 s was 1.00 s the same"},
			}, "", nil},
			{"two prompts", figures, []string{"Projects", "chat", "by metadata.prompt"}, []int{0, 1, 2, 3, 4, 5}, [][]string{ // All that the page that compares them shows.
				{"a", "4 was 4 the same", "1 (25 %) was 0 +25 points", "40 was 40 the same", "$0.04 was $0.04 the same", "3.00 s was 2.00 s +50 %"}, {"b", "4", "3 (75 %)", "40", "$0.04", "6.00 s"},
			}, "", nil},
			{"errors after a rollout", figures, []string{"Projects", "chat", "by revision"}, []int{0, 2}, [][]string{{revision, "3 (75 %)"}, {"older", "1 (25 %) was 0 +25 points"}},
				"#figures", []string{"registry.example:5000/team/agent:1.0"}},
			{"what changed between revisions", traces, []string{"chat", "2 settings changed since the previous revision"}, nil, nil, "details[open] > .changes",
				[]string{"image_uri registry.example:5000/team/agent:1.0 → registry.example:5000/team/agent:2", "image_version 1.0 → 2"}},
			{"why a rollout failed", traces, []string{"chat"}, nil, nil, ".cause", []string{"ModuleNotFoundError: No module named 'graph'"}},
			{"a user's conversation by its words", traces, []string{"Projects", "agents", "#q=Question 17?", "Search", "thread a talk"}, nil, nil, "#turn-17", []string{"Question 17?", "Answer 17."}},
			{"where an agent of 300 steps failed", traces, []string{"Projects", "agents", "agent", "next error"}, nil, nil, "#chosen", []string{"look up 20", "page 20 is missing"}},
			{"where an agent of 300 steps went wrong: it failed with what an earlier step had found", traces, []string{"Projects", "agents", "agent", "look up 12"}, nil, nil,
				"#chosen, [data-part='totals'], .tree li:has(> .row [title*='with which look up 20 failed'])", []string{"301", "origin", "look up 12", "Line two."}},
			{"a run of an agent as a test", traces, []string{"Projects", "agents", "agent", "Make a test"}, nil, nil, "main", []string{`output.answer == "Thought of step 150."`}},
			{"share a run with somebody", traces, []string{"Projects", "agents", "agent", "Share this run"}, nil, nil, shared, []string{"Write the report."}},
			{"share a conversation with somebody", traces, []string{"Projects", "agents", "thread a talk", "Share this thread"}, nil, nil, shared, []string{"Question 17?"}},
			{"whose link somebody still has", traces, []string{"Projects", "agents", "agent", "Everything shared"}, nil, nil, "main tbody", []string{"agent", "a talk"}},
			{"where in a trace something was said", traces, []string{"Projects", "agents", "agent", "#find=Thought of step 77.", "Filter"}, nil, nil, ".tree", []string{"plan 77", "Thought of step 77."}},
		} {
			clicks := b.open(tc.on.Web.URL + "/").perform(tc.steps...)
			if tc.want != nil {
				clicks += b.showFigures()
				if diff := cmp.Diff(tc.want, b.cells(groups, tc.columns...)); diff != "" {
					t.Errorf("%s, scripts %v (-want +got):\n%s", tc.task, b.scripts, diff)
				}
			}
			if tc.in == shared {
				b.until(`!!document.querySelector("` + shared + `")`)
				tc.in = "main"
				b.open(value[string](b, `document.querySelector("`+shared+`").href`))
			}
			for _, text := range tc.sees {
				b.until(`[...document.querySelectorAll("` + tc.in + `")].some(e => e.innerText.includes(` + string(web.Encode(text)) + `))`)
			}
			if clicks > mostClicks {
				t.Errorf("%s takes %d clicks, want at most %d", tc.task, clicks, mostClicks)
			}
		}
		b.open(figures.Web.URL+"/").perform("Projects", "chat", "by revision")
		b.showFigures()
		if marks := value[[]string](b, `[...document.querySelectorAll("#chart-errors .event title")].map(e => e.textContent)`); len(marks) != 1 {
			t.Errorf("marks of rollouts in the chart of errors = %q, want one", marks)
		}
		for _, tc := range []struct {
			by     string
			choose []string // Nothing to compare the first two groups.
			want   [][]string
		}{
			{"metadata.prompt", nil, [][]string{{"Traces", "4", "4"}, {"Errors +50 points", "1 (25 %)", "3 (75 %)"}, {"Tokens", "40", "40"}, {"Cost", "$0.04", "$0.04"}, {"Latency p50 +100 %", "3.00 s", "6.00 s"}}},
			{"model", nil, [][]string{{"Calls", "4", "4"}, {"Errors", "0", "0"}, {"Tokens", "40", "40"}, {"Cost", "$0.04", "$0.04"}, {"Latency p50 -50 %", "6.00 s", "3.00 s"}}},
			{"model", []string{"#group-a=small", "#group-b=large"}, [][]string{{"Calls", "4", "4"}, {"Errors", "0", "0"}, {"Tokens", "40", "40"}, {"Cost", "$0.04", "$0.04"}, {"Latency p50 +100 %", "3.00 s", "6.00 s"}}},
		} {
			clicks := b.open(figures.Web.URL+"/").perform("Projects", "chat", "by "+tc.by)
			b.showFigures()
			clicks += b.perform(append(tc.choose, "Compare two groups")...)
			compared := b.says("Groups by "+tc.by+" compared").cells(`"main tbody tr"`, 0, 1, 2)[:5]
			if diff := cmp.Diff(tc.want, compared); diff != "" {
				t.Errorf("compared by %s, scripts %v (-want +got):\n%s", tc.by, b.scripts, diff)
			}
			if clicks > mostClicks {
				t.Errorf("two groups by %s take %d clicks, want at most %d", tc.by, clicks, mostClicks)
			}
		}
		b.open(figures.Web.URL + "/ui/projects")
		if wide := value[[]string](b, `[document.documentElement, ...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > e.clientWidth).map(e => e.outerHTML.slice(0, 100))`); len(wide) > 0 {
			t.Errorf("wider than 1440 px: %q", wide)
		}
	}
}

// showFigures waits for the figures of a project, and returns the clicks that it takes.
func (b *tab) showFigures() (clicks int) {
	b.t.Helper()
	b.until(left)
	if !b.scripts && value[bool](b, `!!document.querySelector("#figures[data-load]")`) {
		clicks = b.perform("Show the figures of these runs")
	}
	b.until(left + ` && !document.querySelector("#figures[data-load]")`)
	return clicks
}

// perform performs the steps of a task, and returns how many of them are clicks.
func (b *tab) perform(steps ...string) (clicks int) {
	b.t.Helper()
	for _, step := range steps {
		if field, text, typed := strings.Cut(step, "="); typed {
			b.until(`(e => e && (e.value = "` + text + `", true))(document.querySelector("` + field + `"))`)
			continue
		}
		clicks++
		b.clickText(step)
	}
	return clicks
}

// left says that the page has changed since the last click.
const left = `window.clicked !== location.href`

// clickText clicks on the first visible link or button with a text, after the page to which the last click leads has loaded.
func (b *tab) clickText(text string) {
	b.t.Helper()
	quoted, err := json.Marshal(text)
	devservertest.Must(b.t, err)
	b.until(left + ` && (e => { if (!e) return false; window.clicked = location.href; e.click(); return true; })([
		...document.querySelectorAll("main th a, main a, main button, main summary, nav a")].find(e => e.textContent.trim() === ` + string(quoted) + ` && e.checkVisibility()))`)
}

// TestFirstTrace_unraced logs the first trace with the command that an empty server shows, and opens it. TestAccFirstApply_browser applies the
// configuration that it shows.
func TestFirstTrace_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "the first trace in Chromium", 15*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	b := newTab(devservertest.NewBrowser(t), t).screen(1440, 900).open(p.Web.URL + "/ui")
	command := value[string](b, `[...document.querySelectorAll("pre")].map(e => e.textContent).find(text => text.startsWith("curl"))`)
	if output, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, output)
	}
	if clicks := b.perform("Projects", "default", "hello"); clicks > mostClicks {
		t.Errorf("the first trace takes %d clicks, want at most %d", clicks, mostClicks)
	}
	b.until(left).says("Hi!")
}
