package pages_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// inView finds the smallest elements that contain a text, and says whether one of them can be seen: it is in the viewport, and nothing
// covers it.
const inView = `(text => {
	const all = [...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && e.textContent.includes(text));
	return all.filter(e => !all.some(other => other !== e && e.contains(other))).some(e => {
		const range = document.createRange();
		const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
		let box = e.getBoundingClientRect();
		for (let node = walker.nextNode(); node; node = walker.nextNode()) {
			const at = node.data.indexOf(text);
			if (at >= 0) {
				range.setStart(node, at);
				range.setEnd(node, at + text.length);
				box = range.getClientRects()[0] ?? box;
			}
		}
		const x = box.left + Math.min(box.width, 20) / 2, y = (box.top + box.bottom) / 2;
		const top = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight ? document.elementFromPoint(x, y) : null;
		return top !== null && (e.contains(top) || top.contains(e) && top !== document.body && top !== document.documentElement);
	});
})`

// sees waits until texts can be seen without scrolling.
func (b *tab) sees(texts ...string) *tab {
	b.t.Helper()
	for _, text := range texts {
		quoted, err := json.Marshal(text)
		if err != nil {
			b.t.Fatal(err)
		}
		b.until(inView + `(` + string(quoted) + `)`)
	}
	return b
}

// screen sets the size of the window.
func (b *tab) screen(width, height int64) *tab {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
	return b
}

// row selects the link of a run's row.
func row(id string) string { return `#run-` + id + ` > .row .what a` }

// TestReadTrace_unraced reads a long trace as a person does: one click shows a run beside the tree, which stays where it was; the address
// and the back button follow, and keys go to the next run and the next error.
func TestReadTrace_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "reading a trace in Chromium", 30*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	a := logAgent(p, 60)
	b := newTab(devservertest.NewBrowser(t), t).screen(1440, 900).open(p.Web.URL + a.run(a.calls[39]))
	b.sees("plan 40").until(`document.querySelector("#chosen h2").textContent.includes("plan 40")`)
	b.do(discard(chromedp.Evaluate[bool](`window.kept = true`)))
	place := value[float64](b, `document.querySelector("#run-`+a.calls[39]+`").getBoundingClientRect().top`)
	b.click(row(a.calls[40])).until(`document.querySelector("#chosen h2").textContent.includes("plan 41")`)
	if got := value[float64](b, `document.querySelector("#run-`+a.calls[39]+`").getBoundingClientRect().top`); got != place {
		t.Errorf("a click in the tree moved it from %v to %v, want it to stay", place, got)
	}
	if got := value[string](b, `new URLSearchParams(location.search).get("run")`); got != a.calls[40] {
		t.Errorf("the address names the run %s, want %s", got, a.calls[40])
	}
	b.until(`document.querySelector(".row.chosen a[aria-current]").textContent === "plan 41"`)
	b.do(discard(chromedp.Evaluate[bool](`history.back() ?? true`)))
	b.until(`document.querySelector("#chosen h2").textContent.includes("plan 40")`).until(`document.querySelector(".row.chosen a").textContent === "plan 40"`)
	// The next error, whose row is far away, comes into view with its message.
	b.shortcut("e").until(`location.search.includes("` + a.tools[34] + `")`) // The last error: the key goes back to the one before it.
	b.until(`document.querySelector("#chosen h2").textContent.includes("look up 35")`).sees("look up 35").sees("page 35 is missing")
	b.shortcut("e").until(`location.search.includes("` + a.tools[19] + `")`)
	b.until(`document.querySelector("#chosen h2").textContent.includes("look up 20")`).sees("look up 20").sees("page 20 is missing")
	b.shortcut("j", "j").press(kb.Enter).until(`document.querySelector("#chosen h2").textContent.includes("look up 21")`)
	if !value[bool](b, `window.kept === true`) {
		t.Error("the page was loaded again, want the run to be replaced in place")
	}
	// The wheel reaches the end of each, from the top of the page.
	b.open(p.Web.URL + a.path)
	for _, end := range []struct {
		x    float64
		last string
	}{{300, "look up 60"}, {1100, "ID of another run"}} {
		b.until(`(scrollTo(0, 0), true)`)
		for range 8 {
			call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: end.x, Y: 700, DeltaX: 1, DeltaY: 3000})
		}
		b.sees(end.last)
	}
	b.open(p.Web.URL + a.run(a.calls[39]))
	// Both panes scroll, and the page doesn't.
	if got := value[[]bool](b, `[...document.querySelectorAll(".workbench > .pane")].map(e => e.scrollHeight <= e.clientHeight || ["auto", "scroll"].includes(getComputedStyle(e).overflowY))`); len(got) != 2 || !got[0] || !got[1] {
		t.Errorf("panes that scroll by themselves = %v, want both", got)
	}
}

// TestReadTraceOnPhone_unraced does so on a phone, with and without scripts: a run that was tapped is visible.
func TestReadTraceOnPhone_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "reading a trace on a phone in Chromium", 30*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	a := logAgent(p, 60)
	browser := devservertest.NewBrowser(t)
	for _, scripts := range []bool{true, false} {
		b := newTab(browser, t).screen(390, 844)
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		if !scripts {
			b.withoutScripts()
		}
		b.open(p.Web.URL + a.path).click(row(a.tools[19])).until(`location.search.includes("` + a.tools[19] + `")`)
		b.sees("page 20 is missing").sees("look up 20")
		b.click(`#chosen a[href^="#run-"]`).sees("look up 21")
	}
	// On a screen without scripts, the chosen row is in view as well.
	b := newTab(browser, t).withoutScripts().screen(1440, 900).open(p.Web.URL + a.path)
	b.click(row(a.tools[19])).until(`location.search.includes("` + a.tools[19] + `")`)
	b.sees("page 20 is missing").sees("look up 20")
}

// TestWhereTimeWent_unraced asks where the time and the money of a long trace went, with and without scripts.
func TestWhereTimeWent_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "figures of a trace in Chromium", 30*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	a := logAgent(p, 60)
	onScreens(t, func(b *tab) {
		b.open(p.Web.URL + a.path)
		if thin := value[[]string](b, `[...document.querySelectorAll(".bar rect")].filter(r => r.getBoundingClientRect().width < 2).map(r => r.outerHTML)`); len(thin) > 0 {
			t.Errorf("%d bars are narrower than two pixels: %.300q", len(thin), thin)
		}
		// One click shows what cost most; 6,010 tokens at $2 and $3 a million.
		b.click(`.axis .cost a`).until(`location.search === "?sort=cost"`).sees("plan 60").sees("$0.012")
		b.click(`.groups > summary`).sees("example-large").sees("183,000")
		b.click(`.groups > summary`)
		// The failures, and one of them: the tree stays filtered and sorted.
		b.do(discard(chromedp.Evaluate[bool](`document.getElementById("only").value = "errors", document.querySelector(".tree-search").requestSubmit(), true`)))
		b.until(`location.search.includes("only=errors")`).sees("look up 20").sees("look up 35").sees("2 of 121 runs match.")
		b.click(row(a.tools[34])).until(`document.querySelector("#chosen h2").textContent.includes("look up 35")`).sees("page 35 is missing")
		if got := value[string](b, `location.search`); got != "?only=errors&run="+a.tools[34]+"&sort=cost" {
			t.Errorf("the address is %s, want the filter and the order kept", got)
		}
		if beyond := value[[]string](b, tooWide); len(beyond) > 0 {
			t.Errorf("the page is too wide: %q", beyond)
		}
	})
}

// TestZoom_unraced looks at the middle of a long trace, with and without scripts: on its map, a click shows a part of the time, and drawing
// another one.
func TestZoom_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "zooming in a trace in Chromium", 30*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	a := logAgent(p, 60)
	onScreens(t, func(b *tab) {
		// The trace takes 610 s, of which the seventh of twelve parts begins after 305 s: in step 30, which ends at 309 s.
		b.open(p.Web.URL + a.path).click(`.map li:nth-child(7) a`).until(`location.search.startsWith("?zoom=305000-")`).sees("plan 31").sees("12 of 121 runs match.")
		if rows := value[int](b, `document.querySelectorAll(".tree .row").length`); rows != 12 {
			t.Errorf("%d rows are shown, want the root and those of steps 30 to 35", rows)
		}
		b.click(row(a.calls[31])).until(`document.querySelector("#chosen h2").textContent.includes("plan 32")`).until(`location.search.includes("zoom=305000-")`)
		if b.scripts {
			b.open(p.Web.URL + a.path)
			box := value[[]float64](b, `(r => [r.left, r.top, r.width])((document.querySelector(".map").scrollIntoView(), document.querySelector(".map").getBoundingClientRect()))`)
			b.drag(box[0]+box[2]/4, box[1]+10, box[0]+box[2]/2)
			b.until(`/zoom=15\d{4}-30\d{4}/.test(location.search)`).sees("plan 16")
		}
		if beyond := value[[]string](b, tooWide); len(beyond) > 0 {
			t.Errorf("the page is too wide: %q", beyond)
		}
	})
}

// drag moves the pointer with the button held down.
func (b *tab) drag(x, y, to float64) {
	b.t.Helper()
	for _, step := range []struct {
		kind input.DispatchMouseEventType
		x    float64
	}{{input.DispatchMouseEventTypeMousePressed, x}, {input.DispatchMouseEventTypeMouseMoved, to}, {input.DispatchMouseEventTypeMouseReleased, to}} {
		call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: step.kind, X: step.x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1})
	}
}

// TestLongTrace_unraced checks that the page of a long trace is accessible, with everything unfolded: its map, its tables, and the messages
// of a call.
func TestLongTrace_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "a long trace in axe-core", 30*time.Second)
	axe := axeCore(t)
	p := devservertest.New(t, devserver.Config{}).As()
	a := logAgent(p, 24)
	b := newTab(devservertest.NewBrowser(t), t).screen(1440, 900).open(p.Web.URL + a.run(a.calls[19]) + "&zoom=125000-220000&sort=cost")
	b.unfold().until(`!document.querySelector("#chosen [data-loaded]")`) // All messages were loaded.
	b.wantAccessible(axe, "on a screen")
	b.onPhone().wantAccessible(axe, "on a phone in the dark")
}

// onScreens runs a task on a wide screen, and on a narrow one in the dark without scripts.
func onScreens(t *testing.T, task func(b *tab)) {
	t.Helper()
	browser := devservertest.NewBrowser(t)
	wide := newTab(browser, t)
	wide.do(chromedp.EmulateViewport(1440, 900))
	task(wide)
	narrow := newTab(browser, t).withoutScripts().onPhone()
	narrow.do(chromedp.EmulateViewport(390, 844))
	task(narrow)
}
