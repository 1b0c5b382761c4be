package pages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// saying lists what a page must contain: for a screen reader, with its role, or anywhere in the text.
var saying = map[string][]node{
	"start":                   {{"heading", "Deployments"}, {"link", "chat"}},
	"deployments":             {{"heading", "Deployments"}, {"searchbox", "Name contains"}, {"combobox", "Status"}, {"button", "Filter"}, {"link", "chat"}},
	"deployment":              {{"heading", "chat"}, {"heading", "Revisions"}, {"StaticText", "API_TOKEN"}, {"StaticText", "source_revision_config.image_uri"}, {"StaticText", "registry.example:5000/team/agent:1.1"}, {"link", "Tracing project"}},
	"rollout":                 {{"StaticText", "Rollout of chat"}, {"button", "Redeploy this revision"}, {"StaticText", "The image can't be pulled. " + hostile}, {"combobox", "Compared with"}, {"StaticText", "made this revision"}},
	"settings":                {{"heading", "Settings of two deployments"}, {"combobox", "First"}, {"StaticText", "There is no deployment"}},
	"by model":                {{"StaticText", "Figures by model"}, {"rowheader", "example-large"}, {"link", "by tag"}},
	"figures":                 {{"link", "smoke"}, {"StaticText", "Figures by tag"}, {"heading", "Errors"}},
	"listeners":               {{"heading", "Listeners"}, {"StaticText", "dev-cluster"}, {"link", "chat"}},
	"integrations":            {{"heading", "Integrations"}},
	"requests":                {{"heading", "Requests and faults"}, {"StaticText", "GET /v2/listeners"}},
	"prices":                  {{"heading", "Model prices"}, {"StaticText", "example-large"}},
	"space":                   {{"heading", "Space"}, {"link", "chat"}},
	"projects":                {{"heading", "Projects"}, {"link", "chat"}},
	"datasets":                {{"heading", "Datasets"}, {"StaticText", "Newest experiment"}},
	"dataset":                 {{"StaticText", "Examples"}, {"StaticText", "1 failed"}, {"StaticText", "Experiments side by side, newest first"}},
	"project":                 {{"heading", "chat"}, {"link", "agent"}, {"link", "last 7 days"}, {"link", "Next"}},
	"trace":                   {{"link", "agent"}, {"link", "model"}, {"StaticText", "0.000065"}, {"StaticText", "✕"}, {"StaticText", " error"}, {"link", "next error"}},
	"feedback":                {{"heading", "Feedback on chat"}, {"rowheader", "correct"}, {"StaticText", hostile}, {"StaticText", "the project"}},
	"threads":                 {{"heading", "Threads of chat"}, {"link", "t1"}},
	"thread":                  {{"heading", "Thread t1"}, {"StaticText", "Sunny."}, {"StaticText", hostile}},
	"comparison":              {{"heading", "Two runs compared"}, {"link", "model"}, {"StaticText", "no such city: "}},
	"search":                  {{"combobox", "Search runs"}, {"link", "model"}, {"StaticText", "example-large"}, {"link", "Latency"}},
	"trace of the failed run": {{"heading", "Error"}, {"StaticText", "no such city: " + hostile}, {"StaticText", "1 run on deeper levels is folded."}},
	"oauth": {
		{"heading", "OAuth"}, {"StaticText", "Toy login"}, {"textbox", "Scopes"}, {"button", "Connect again"}, {"button", "Connect"},
		{"StaticText", "calendar.read"}, {"StaticText", "support " + hostile},
	},
	"run": {
		{"heading", "model"}, {"StaticText", "What is on these?"}, {"StaticText", "Sunny in Example City."}, {"StaticText", "The user wants the weather."},
		{"StaticText", "It is sunny."}, {"StaticText", "web_search"}, {"link", "photo"}, {"StaticText", "0.000035"}, {"StaticText", "cache_read"},
	},
	"public run": {{"heading", "model"}, {"StaticText", "What is on these?"}},
	"logs":       {{"StaticText", "Logs of revision"}, {"searchbox", "Lines that contain"}},
	"shares":     {{"heading", "Shared runs and threads"}, {"link", "model"}, {"link", "public page"}, {"button", "Revoke"}},
	"message":    {{"heading", "Message 2 of 4 of the inputs"}, {"StaticText", "What is on these?"}, {"link", "Next message"}},
	"test":       {{"heading", "Test of model"}, {"StaticText", "It is sunny."}, {"link", "Download the run"}},
	"root run":   {{"heading", "agent"}, {"StaticText", "smoke"}, {"StaticText", hostile}},
	"failed run": {{"heading", "weather " + hostile}, {"StaticText", "no such city: " + hostile}},
	"nothing":    {{"heading", "Not Found"}},
}

// lacks returns the nodes that a page doesn't have.
func lacks(page, wanted []node) []node {
	return slices.DeleteFunc(slices.Clone(wanted), func(want node) bool {
		return slices.ContainsFunc(page, func(n node) bool {
			return n.Role == want.Role && (strings.TrimSpace(n.Name) == want.Name || n.Role == "StaticText" && strings.Contains(n.Name, want.Name))
		})
	})
}

// TestPages_unraced opens every page, with and without scripts, and checks that it has the expected content, that nothing in logged
// data is executed or loaded, and that axe-core finds no violations.
func TestPages_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "pages in Chromium", time.Minute)
	browser := devservertest.NewBrowser(t)
	axe := axeCore(t)
	s := show(t, hostile)
	names := slices.Sorted(maps.Keys(s.paths))
	for _, withScripts := range []bool{true, false} {
		// Each tab opens every third page.
		for n := range tabs {
			t.Run(fmt.Sprintf("tab %d, scripts %v", n, withScripts), func(t *testing.T) {
				t.Parallel()
				b := newTab(browser, t)
				if !withScripts {
					b.withoutScripts()
				}
				for i := n; i < len(names); i += tabs {
					t.Run(names[i], func(t *testing.T) {
						b.t = t
						b.open(s.Web.URL + s.paths[names[i]])
						b.check(names[i], withScripts, axe)
					})
				}
			})
		}
	}
	if diff := cmp.Diff(len(saying), len(s.paths)); diff != "" {
		t.Errorf("numbers of pages in saying and of all pages differ: %s", diff)
	}
}

// axeCore returns the script that looks for violations of accessibility.
func axeCore(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(devservertest.InstallNPM(t), "node_modules", "axe-core", "axe.min.js"))
	devservertest.Must(t, err)
	return string(script)
}

// tabs are opened side by side.
const tabs = 3

// check checks the open page, which has the given name.
func (b *tab) check(name string, withScripts bool, axe string) {
	b.t.Helper()
	if withScripts {
		b.screen(1440, 900).wantLook("on a wide screen")
	}
	b.unfold()
	if missing := lacks(b.tree(), saying[name]); len(missing) > 0 {
		b.t.Errorf("the page lacks %q", missing)
	}
	for _, complaint := range b.complained() {
		if name != "nothing" || !strings.Contains(complaint, "404") {
			b.t.Error(complaint)
		}
	}
	if withScripts {
		b.wantAccessible(axe, "on a screen")
		b.onPhone().wantAccessible(axe, "on a phone in the dark", displayRules...)
		b.wantLook("on a phone in the dark")
		b.onScreen()
	}
	if strings.Contains(b.source(), canary) {
		b.t.Error("the page contains the value of a secret")
	}
}

// displayRules are the rules of axe-core that depend on the size and the colours of the screen. All others depend on the document only.
var displayRules = []string{"color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"}

// phone is as wide as the narrowest phones, or as a screen of 640 pixels at 200 % zoom.
const phone = 320

// onPhone shows the page on a narrow screen with dark colours.
func (b *tab) onPhone() *tab {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(phone, 640))
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	return b
}

// onScreen resets the screen to that of a new tab.
func (b *tab) onScreen() {
	b.t.Helper()
	b.do(chromedp.EmulateReset())
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
}

// tooWide finds the elements that make a page scroll horizontally.
const tooWide = `(() => {
	const page = document.documentElement;
	if (page.scrollWidth <= page.clientWidth) return [];
	return ["the page", ...[...document.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > page.clientWidth).map(e => e.outerHTML.slice(0, 100))];
})()`

// wantAccessible reports violations that axe-core finds, and horizontal scrolling.
func (b *tab) wantAccessible(axe, where string, rules ...string) {
	b.t.Helper()
	for _, violation := range b.violations(axe, rules...) {
		b.t.Errorf("%s, axe-core: %s", where, violation)
	}
	beyond, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](tooWide))
	if err != nil || len(beyond) > 0 {
		b.t.Errorf("%s, the page is too wide: %q %v", where, beyond, err)
	}
}

// TestManyTabs_unraced checks that a browser can show more deployments than it has connections per server: all of them follow their rollouts,
// even after one of the tabs is closed.
func TestManyTabs_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "many tabs in Chromium", 15*time.Second)
	p := devservertest.New(t, devserver.Config{Rollout: time.Minute}).As()
	browser := devservertest.NewBrowser(t)
	tabs := make([]*tab, 8) // A browser opens six connections to a host.
	for i := range tabs {
		d := p.Create(devservertest.ImageRequest(fmt.Sprint("chat-", i)))
		tabs[i] = newTab(browser, t).open(p.Web.URL + "/ui/deployments/" + d.ID)
	}
	all := func(status string) {
		t.Helper()
		for _, b := range tabs {
			b.do(discard(chromedp.Poll[bool](`document.body.innerText.includes("`+status+`")`, chromedp.WithPollingInterval(100*time.Millisecond))))
		}
	}
	all("Newest revision QUEUED")
	p.Clock.Advance(30 * time.Second)
	all("Newest revision DEPLOYING")
	tabs[0].open("about:blank")
	tabs = tabs[1:]
	p.Clock.Advance(30 * time.Second)
	all("Newest revision DEPLOYED")
}

// discard makes a step without a result.
func discard[T any](action chromedp.Action[T]) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := action(ctx, target)
		return err
	})
}

// follow opens the link with the given text, preferably one at the start of a row, and checks that the target contains a text.
func (b *tab) follow(link, says string) *tab {
	b.t.Helper()
	wanted, err := json.Marshal(link)
	if err != nil {
		b.t.Fatal(err)
	}
	address, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](
		`[...document.querySelectorAll("th[scope=row] a[href]"), ...document.querySelectorAll("a[href]")].find(a => a.textContent.trim() === `+string(wanted)+` && a.offsetParent !== null)?.href ?? ""`))
	if err != nil || address == "" {
		b.t.Fatalf("the page has no link %q: %v", link, err)
	}
	b.open(address)
	if !strings.Contains(b.source(), says) {
		b.t.Fatalf("after the link %q, the page doesn't contain %q", link, says)
	}
	return b
}

// TestFindFailure_unraced finds the slowest failed run of a model in three actions, reads its error, and compares the run with a
// successful one, with and without scripts.
func TestFindFailure_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "finding a failure in Chromium", 30*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	devservertest.Must(t, p.Sample(t.Context(), devserver.DefaultWorkspaceID))
	project := devservertest.Get[[]object](p, "/sessions?name=sample-docs-chat")[0]["id"].(string)
	browser := devservertest.NewBrowser(t)
	b := newTab(browser, t)
	b.do(chromedp.EmulateViewport(1440, 900))
	b.findFailure(p.Web.URL + "/ui/projects/" + project)
	newTab(browser, t).withoutScripts().onPhone().findFailure(p.Web.URL + "/ui/projects/" + project)
}

// findFailure does so, starting from the project's page.
func (b *tab) findFailure(project string) {
	t := b.t
	t.Helper()
	b.open(project).unfold()
	b.follow("error", "RateLimitError").unfold()        // 1: only failed runs,
	b.follow("sample-small", "RateLimitError").unfold() // 2: only those of the model,
	b.follow("Latency", "RateLimitError")               // 3: slowest first.
	order, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll("table.runs tbody tr")].map(r => r.cells[6].innerText)`))
	// Failures are the 5th, 14th and 23rd trace; each takes 0.13 s more than the one before it, from 0.9 s on. The last began
	// more than 24 hours ago, if the 53 minutes between two add up to that.
	if diff := cmp.Diff([]string{"3.76 s", "2.59 s", "1.42 s"}, order); err != nil || diff != "" {
		t.Errorf("the order (-want +got), %v:\n%s", err, diff)
	}
	b.follow("docs chat", "RateLimitError: 429 Too Many Requests")
	if missing := lacks(b.tree(), []node{{"heading", "Error"}, {"StaticText", "RateLimitError: 429 Too Many Requests"}}); len(missing) > 0 {
		t.Errorf("the trace lacks %q", missing)
	}
	b.follow("with the last successful one", "Two runs compared")
	if missing := lacks(b.tree(), []node{{"heading", "Two runs compared"}, {"StaticText", "differs"}, {"StaticText", "RateLimitError"}}); len(missing) > 0 {
		t.Errorf("the comparison lacks %q", missing)
	}
}

// TestScreenshots_unraced saves screenshots of the main pages to the directory AGENTPLANE_SCREENSHOTS: of the sample data, and of a rollout.
func TestScreenshots_unraced(t *testing.T) {
	dir := os.Getenv("AGENTPLANE_SCREENSHOTS")
	if dir == "" {
		t.Skip("AGENTPLANE_SCREENSHOTS isn't set")
	}
	s := show(t, "The registry answered 403: access denied.")
	devservertest.Must(t, s.Sample(t.Context(), devserver.DefaultWorkspaceID))
	project := devservertest.Get[[]object](s.plane, "/sessions?name=sample-support-agent")[0]["id"].(string)
	s.paths["project"] = "/ui/projects/" + project
	failed := regexp.MustCompile(`href="(/ui/traces/[^"]+)"`).FindStringSubmatch(read(s.plane, s.paths["project"]+"?status=error"))
	good := regexp.MustCompile(`href="(/ui/traces/[^"]+)"`).FindStringSubmatch(read(s.plane, s.paths["project"]+"?status=success&scope=all&run_type=llm"))
	s.paths["trace"], s.paths["run"] = failed[1], good[1]
	b := newTab(devservertest.NewBrowser(t), t)
	for _, name := range []string{"deployments", "deployment", "project", "trace", "run"} {
		b.do(chromedp.EmulateViewport(1440, 900))
		b.open(s.Web.URL + s.paths[name]).until(`!document.querySelector("[data-live-reload]:not([hidden])")`)
		b.do(discard(chromedp.Evaluate[bool](`scrollTo(0, 0), true`))) // The page of a trace begins at the selected run.
		image, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".png"), image, 0o644)
		}
		devservertest.Must(t, err)
	}
}
