package pages_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestMakeTest_unraced makes a test of an answer, in one click from the call: the assertion on the answer is visible, and so are the tools
// that it calls. Without messages, there is no test.
func TestMakeTest_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "making a test in Chromium", 20*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	a := logAgent(p, 40)
	onScreens(t, func(b *tab) {
		b.open(p.Web.URL + a.run(a.calls[39])).click(`#chosen a[href$="/test"]`)
		b.sees("Test of plan 40", "plan_40.tftest.hcl", "Thought of step 40.", "look_up")
		if beyond := value[[]string](b, tooWide); len(beyond) > 0 {
			t.Errorf("the page is too wide: %q", beyond)
		}
	})
	p.Do(http.MethodGet, "/ui/runs/"+a.root+"/test", nil).Want(http.StatusNotFound)
}
