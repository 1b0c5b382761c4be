package pages_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestTasksOfTraces_unraced does what users come for, from the first page, with a few clicks each. A step is the text of a link or of a button, or
// FIELD=TEXT, which is typed.
func TestTasksOfTraces_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "tasks in Chromium", 45*time.Second)
	p, _, _ := failedRollout(t)
	logThread(p, 20)
	logAgent(p, 150)
	alone := devservertest.RootRun(object{"name": "model", "run_type": "llm", "session_name": "chats", "inputs": object{"messages": []any{object{"role": "user", "content": "Hi"}}}, "outputs": answerOfAll()})
	p.Do(http.MethodPost, "/runs", alone).Want(http.StatusAccepted)
	browser := devservertest.NewBrowser(t)
	for name, tc := range map[string]struct {
		steps []string
		sees  []string
	}{
		"what changed between revisions":      {[]string{"chat", "2 changed since the previous revision"}, []string{"registry.example:5000/team/agent:1.0", "registry.example:5000/team/agent:2"}},
		"why a rollout failed":                {[]string{"chat"}, []string{"ModuleNotFoundError: No module named 'graph'"}},
		"a user's conversation by its words":  {[]string{"Projects", "agents", "Threads of this project", "#words=Question 17?", "Search"}, []string{"a talk"}},
		"where an agent of 300 steps failed":  {[]string{"Projects", "agents", "agent", "next error"}, []string{"page 20 is missing"}},
		"a run as a test":                     {[]string{"Projects", "chats", "model", "Make a test"}, []string{"Test of model"}},
		"share a run with somebody":           {[]string{"Projects", "agents", "agent", "Share this run"}, []string{"Anybody with the link can read this run"}},
		"whose link somebody still has":       {[]string{"Projects", "agents", "agent", "Everything shared"}, []string{"Shared runs and threads"}},
		"where in a trace something was said": {[]string{"Projects", "agents", "agent", "#find=Thought of step 77.", "Show"}, []string{"plan 77", "Thought of step 77."}},
	} {
		t.Run(name, func(t *testing.T) {
			clicks := newTab(browser, t).screen(1440, 900).open(p.Web.URL+"/").perform(tc.steps, tc.sees) //nolint:contextcheck // A tab has its own.
			if clicks > mostClicks {
				t.Errorf("it takes %d clicks, want at most %d", clicks, mostClicks)
			}
		})
	}
}

// perform performs the steps of a task, and waits for its answer. It returns how many of the steps are clicks.
func (b *tab) perform(steps, sees []string) (clicks int) {
	b.t.Helper()
	for _, step := range steps {
		if field, text, typed := strings.Cut(step, "="); typed {
			b.until(`(e => e && (e.value = "` + text + `", true))(document.querySelector("` + field + `"))`)
			continue
		}
		clicks++
		b.clickText(step)
	}
	for _, text := range sees {
		b.says(text)
	}
	return clicks
}

// clickText clicks on the first visible link or button with a text, after the page has loaded.
func (b *tab) clickText(text string) {
	b.t.Helper()
	quoted, err := json.Marshal(text)
	devservertest.Must(b.t, err)
	b.until(`(e => { if (!e) return false; e.click(); return true; })(document.readyState === "complete" && [
		...document.querySelectorAll("main th a, main a, main button, main summary, nav a")].find(e => e.textContent.trim() === ` + string(quoted) + ` && e.checkVisibility()))`)
}
