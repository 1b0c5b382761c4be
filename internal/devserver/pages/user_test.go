package pages_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// press presses keys in sequence.
func (b *tab) press(keys ...string) *tab {
	b.t.Helper()
	for _, key := range keys {
		b.do(chromedp.KeyEvent(key))
	}
	return b
}

// shortcut presses shortcut keys. It sends no text events, because the page handles these keys itself.
func (b *tab) shortcut(keys ...string) *tab {
	b.t.Helper()
	for _, key := range keys {
		b.do(chromedp.KeyEvent(key, func(k *input.DispatchKeyEventParams) {
			if k.Type == kb.KeyChar {
				k.Type = kb.KeyUp
			}
		}))
	}
	return b
}

// until waits until the page is loaded and the expression is true.
func (b *tab) until(expression string) *tab {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	for {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.readyState === "complete" && `+expression))
		if err == nil && is {
			return b
		}
		select {
		case <-ctx.Done():
			b.t.Fatalf("timed out waiting for %s: %v\n%s", expression, err, b.source())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// says waits until the page contains a text.
func (b *tab) says(text string) *tab {
	b.t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.until(`document.body.innerText.includes(` + string(quoted) + `)`)
}

// value returns the value of an expression on the page.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// focused returns the text of the focused element.
func (b *tab) focused() string {
	b.t.Helper()
	return value[string](b, `document.activeElement.id || document.activeElement.textContent.trim()`)
}

// TestWatchRollout_unraced does what a user does with a keyboard: see a new deployment in the list, open it, watch its rollout fail without
// a reload, read the log and search it. When the server stops, the page says so.
func TestWatchRollout_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "watching a rollout in Chromium", 20*time.Second)
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute}).As()
	const reason = "The container exits with status 1."
	devservertest.Must(t, p.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: "DEPLOYING", Message: reason + "\nSee its log."}}))
	b := newTab(devservertest.NewBrowser(t), t).open(p.Web.URL + "/")
	b.says("There are no deployments in this workspace.")
	p.Create(devservertest.ImageRequest("chat"))
	b.wait("tbody").shortcut("j")
	if got := b.focused(); got != "chat" {
		t.Fatalf("focus after j = %q, want chat", got)
	}
	p.Create(devservertest.ImageRequest("other"))
	b.says("other")
	if got := b.focused(); got != "chat" {
		t.Errorf("focus after the list was updated = %q, want chat", got)
	}
	b.press(kb.Enter).says("Newest revision").do(discard(chromedp.Evaluate[bool](`window.kept = true`)))
	b.click(`details[id^="logs-"] > summary`).says("Queued.")
	p.Clock.Advance(30 * time.Second)
	b.says("Newest revision DEPLOYING").says("Deploying registry.example")
	if !value[bool](b, `document.querySelector('details[id^="logs-"]').open && document.activeElement.matches("summary")`) {
		t.Error("an update of the page closed the log or moved the focus")
	}
	p.Clock.Advance(time.Minute)
	b.says("Newest revision DEPLOY_FAILED").says("ERROR " + reason + "\nSee its log.")
	if !value[bool](b, `window.kept === true`) {
		t.Error("the page was reloaded, want it updated in place")
	}
	b.follow("Show and search all lines", "Queued.").shortcut("/").press("exits", kb.Enter).until(`location.search === "?q=exits"`).says(reason)
	if missing := lacks(b.tree(), []node{{"StaticText", "Queued."}}); len(missing) == 0 {
		t.Error("the log shows a line that doesn't match the search")
	}

	b.open(p.Web.URL + "/ui/deployments").until(`document.querySelector("[data-live-reload]").hidden`)
	b.expectErrors()
	p.Stop()
	b.says("Connection lost, trying again. What is shown may be out of date.")
	b.do(chromedp.EmulateViewport(1440, 200))
	if !value[bool](b, `scrollTo(0, 1000), scrollY > 100 && document.querySelector("[data-live-status]").getBoundingClientRect().top >= 0`) {
		t.Error("whoever has scrolled down doesn't see that the page is out of date")
	}
}

// TestPageRefused_unraced checks that a page that the server refuses to send says so, and is followed as soon as it can.
func TestPageRefused_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "refused page in Chromium", 25*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	var refused atomic.Bool
	address, err := url.Parse(p.Web.URL)
	devservertest.Must(t, err)
	served := httputil.NewSingleHostReverseProxy(address)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		served.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	b := newTab(devservertest.NewBrowser(t), t).expectErrors().open(front.URL + "/ui/deployments")
	refused.Store(true)
	b.says("The server sends no updates now, trying again. What is shown may be out of date.")
	p.Create(devservertest.ImageRequest("chat"))
	refused.Store(false)
	b.says("chat").says("This part of the page keeps itself up to date.")
}

// TestKeys_unraced navigates a list and a trace by keyboard only. Times are in the viewer's time zone, and texts can be copied.
func TestKeys_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "keys in Chromium", 20*time.Second)
	p, project := browsed(t)
	b := newTab(devservertest.NewBrowser(t), t)
	call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"})
	b.open(p.Web.URL + project)
	if got := value[string](b, `(t => t.textContent + " | " + t.title)(document.querySelector("td time"))`); !strings.HasPrefix(got, "May 2, ") || !strings.HasSuffix(got, "18:30 | 2026-05-02 18:30:00, 2026-05-02T09:30:00Z") {
		t.Errorf("9:30 UTC in Tokyo is shown as %s, want 18:30 with the time in UTC as title", got)
	}
	// The page has one time zone: that of the lists is that of the charts.
	if got := value[string](b, `(([tick, title]) => tick.textContent + " | " + title.textContent)(
		[".tick[data-at]", ".chart g > title, .chart a > title"].map(s => document.querySelector(s)))`); got != "20:00 | May 1 20:00 Asia/Tokyo, traces 0" {
		t.Errorf("a chart that begins at 11:00 UTC, in Tokyo = %s, want 20:00", got)
	}
	b.press(kb.Tab)
	if got := b.focused(); got != "Skip to content" {
		t.Errorf("first tab stop = %q, want Skip to content", got)
	}
	b.press(kb.Enter).shortcut("?").until(`document.querySelector("dialog").open`).press(kb.Escape).until(`!document.querySelector("dialog").open`)
	b.shortcut("/").press("refund", "?", kb.Enter).until(`location.search.includes("q=refund%3F")`) // In a field, keys are text.
	b.shortcut("j", "j", "k", "j")
	if got := b.focused(); got != "first" {
		t.Errorf("focus after j and k = %q, want first", got)
	}
	b.press(kb.Enter).until(`location.pathname.startsWith("/ui/traces/")`).says("Trace of first")
	b.open(p.Web.URL + project + "?q=second").shortcut("j").press(kb.Enter).says("Trace of second").shortcut("j")
	if got := b.focused(); got != "call second" {
		t.Errorf("focus after j in a trace = %q, want call second", got)
	}
	b.press(kb.Enter).until(`document.querySelector(".row.chosen a").textContent === "call second"`).shortcut("e").until(`document.querySelector(".row.chosen a").textContent === "second"`).says("Traceback")
	if missing := lacks(b.tree(), []node{{"heading", "second"}, {"heading", "Error"}}); len(missing) > 0 {
		t.Errorf("after e, the page lacks %q", missing)
	}
	if got := value[[]string](b, `[...document.querySelectorAll("button.copy")].map(button => button.nextElementSibling.ariaLabel)`); !slices.Contains(got, "Error") {
		t.Errorf("texts with a copy button = %q, want Error among them", got)
	}
	// Only another zone than that of the server is worth a word.
	const noted = `document.querySelector("footer").innerText.includes("Times are in Asia/Tokyo.")`
	b.until(noted)
	call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"})
	b.open(p.Web.URL + project).until(`document.querySelector("time[data-local]") !== null`)
	if text := value[string](b, `document.querySelector("footer").innerText`); strings.Contains(text, "Times are in") {
		t.Errorf("in UTC, the page says %q", text)
	}
	// Focusable elements are visited in reading order: no positive tabindex changes it.
	if n := value[int](b, `document.querySelectorAll("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").length`); n > 0 {
		t.Errorf("%d elements have a tabindex other than 0 and -1, want none", n)
	}
}
