package pages_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestWatchTrace_unraced watches a trace while its agent works: runs appear, what was folded stays folded, and the selected run shows its
// answer when it has ended, without a reload.
func TestWatchTrace_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "watching a trace in Chromium", 30*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	root := devservertest.RootRun(object{"name": "agent"})
	first := devservertest.ChildRun(root, object{"name": "first step", "run_type": "chain", "end_time": "2026-05-02T10:00:02Z"})
	inner := devservertest.ChildRun(first, object{"name": "inner step", "run_type": "tool", "end_time": "2026-05-02T10:00:01Z"})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{root, first, inner}}).Want(http.StatusAccepted)
	browser := devservertest.NewBrowser(t)
	id := func(run object) string { return run["id"].(string) }
	wide := newTab(browser, t).screen(1440, 900).open(p.Web.URL + "/ui/traces/" + id(root))
	phone := newTab(browser, t).screen(390, 844).open(p.Web.URL + "/ui/traces/" + id(root))
	for _, b := range []*tab{wide, phone} {
		b.sees("inner step").click(`#run-` + id(first) + ` > details > summary`).until(`!document.querySelector("#run-` + id(inner) + `").checkVisibility()`)
		b.do(discard(chromedp.Evaluate[bool](`window.kept = true`)))
	}
	second := devservertest.ChildRun(root, object{"name": "second step", "run_type": "tool"})
	p.Do(http.MethodPost, "/runs", second).Want(http.StatusAccepted)
	for _, b := range []*tab{wide, phone} {
		b.sees("second step").until(`document.querySelector(".facts").innerText.replace(/\s+/g, " ").startsWith("Runs 4 Errors 0")`)
		if value[bool](b, `document.querySelector("#run-`+id(inner)+`").checkVisibility()`) {
			t.Error("what was folded is unfolded after an update")
		}
		b.click(row(id(second))).until(`document.querySelector("#chosen h2").textContent.includes("second step")`)
	}
	p.Do(http.MethodPatch, "/runs/"+id(second), object{
		"trace_id": id(root), "dotted_order": second["dotted_order"], "parent_run_id": id(root), "end_time": "2026-05-02T10:00:04Z", "outputs": object{"answer": "found it"},
	}).Want(http.StatusAccepted)
	for _, b := range []*tab{wide, phone} {
		b.says("found it").until(`document.querySelector(".row.chosen a").textContent === "second step"`)
	}
	p.Do(http.MethodPatch, "/runs/"+id(root), object{"trace_id": id(root), "dotted_order": root["dotted_order"], "end_time": "2026-05-02T10:00:05Z"}).Want(http.StatusAccepted)
	for _, b := range []*tab{wide, phone} {
		b.says("Reload the page to see what has changed.").says("5.00 s")
		if !value[bool](b, `window.kept === true`) {
			t.Error("the page was loaded again, want it updated in place")
		}
	}
}
