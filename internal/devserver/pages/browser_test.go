package pages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// tab is a browser tab. Errors on its page fail the test.
type tab struct {
	t       testing.TB
	ctx     context.Context
	scripts bool // The page's scripts are executed.

	mu         sync.Mutex
	complaints []string
	failing    bool // Errors are expected from now on.
}

// newTab returns an empty tab. The race detector can't see other processes, so the names of tests with a browser end in _unraced, which the
// race pass leaves out.
func newTab(browser context.Context, t testing.TB) *tab {
	t.Helper()
	if test, _, _ := strings.Cut(t.Name(), "/"); !strings.HasSuffix(test, "_unraced") {
		t.Fatalf("%s starts a browser: end its name in _unraced", test)
	}
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, scripts: true}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded: // Includes violations of the page's content security policy.
			b.complain("%s: %s", e.Entry.Source, e.Entry.Text)
		case *runtime.EventExceptionThrown:
			b.complain("exception: %s", e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.complain("console.%s was called", e.Type)
		case *page.EventJavascriptDialogOpening:
			b.complain("dialog: %s", e.Message)
			go func() {
				_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
			}()
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	devservertest.Must(t, err)
	t.Cleanup(func() {
		if complaints := b.complained(); len(complaints) > 0 {
			t.Errorf("errors in the browser: %q", complaints)
		}
	})
	return b
}

func (b *tab) complain(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.failing {
		b.complaints = append(b.complaints, fmt.Sprintf(format, args...))
	}
}

// expectErrors ignores the errors that follow.
func (b *tab) expectErrors() *tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failing = true
	return b
}

// do runs steps.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) open(url string) *tab {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
	return b
}

// click waits for an element and clicks it.
func (b *tab) click(selector string) *tab {
	b.t.Helper()
	b.do(chromedp.Click(selector))
	return b
}

// wait waits until the page has an element.
func (b *tab) wait(selector string) *tab {
	b.t.Helper()
	b.do(chromedp.WaitReady(selector))
	return b
}

func (b *tab) withoutScripts() *tab {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.scripts = false
	return b
}

// call runs a command of the DevTools protocol that must succeed.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// unfold opens collapsed elements, as users do to read them.
func (b *tab) unfold() *tab {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach(d => { d.name = ""; d.open = true })`))
	return b
}

// source returns the page's current HTML.
func (b *tab) source() string {
	b.t.Helper()
	source, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.documentElement.outerHTML`))
	if err != nil {
		b.t.Fatal(err)
	}
	return source
}

// complained returns the errors since it was last called.
func (b *tab) complained() (complaints []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	complaints, b.complaints = b.complaints, nil
	return complaints
}

// node is a node of the accessibility tree, as a screen reader announces it.
type node struct{ Role, Name string }

// tree returns the accessibility tree in reading order.
func (b *tab) tree() []node {
	b.t.Helper()
	var nodes []node
	for _, n := range call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if !n.Ignored {
			nodes = append(nodes, node{text(n.Role), text(n.Name)})
		}
	}
	return nodes
}

func text(v *accessibility.Value) string {
	var s string
	if v == nil || json.Unmarshal([]byte(v.Value), &s) != nil {
		return ""
	}
	return s
}

// violations runs all rules of axe-core, or only the given ones, on the page. It doesn't collect nodes that pass.
func (b *tab) violations(axe string, rules ...string) []string {
	b.t.Helper()
	there, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`"axe" in window`))
	if err == nil && !there {
		err = chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](axe))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	options := map[string]any{"resultTypes": []string{"violations"}}
	if len(rules) > 0 {
		options["runOnly"] = rules
	}
	encoded, err := json.Marshal(options)
	if err != nil {
		b.t.Fatal(err)
	}
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](
		`axe.run(`+string(encoded)+`).then(r => r.violations.map(v => v.id + ": " + v.help + " at " + v.nodes.map(n => n.target.join(" ")).join(", ")))`,
		chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}
