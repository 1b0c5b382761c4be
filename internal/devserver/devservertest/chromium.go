package devservertest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// running is the browser of all tests of a process that run at the same time.
var running struct {
	sync.Mutex
	tests   int
	browser context.Context
	end     context.CancelFunc
}

// NewBrowser returns a profile of its own, without cookies, in a headless browser. If Chromium is not installed, it skips the test, unless
// AGENTPLANE_TEST_CHROMIUM requires it.
func NewBrowser(t testing.TB) context.Context {
	t.Helper()
	path := findChromium(t)
	browser, err := joinBrowser(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leaveBrowser)
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // Makes the profile, so that tabs can share it.
		t.Fatal(err)
	}
	return ctx
}

// joinBrowser starts the browser for the first test.
func joinBrowser(path string) (context.Context, error) {
	running.Lock()
	defer running.Unlock()
	if running.tests == 0 {
		options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		browser, _ := chromedp.NewContext(allocator)
		if err := chromedp.Do(browser); err != nil {
			stop()
			return nil, err
		}
		running.browser = browser
		running.end = func() {
			_ = chromedp.Cancel(browser) // Waits until its files are deleted.
			stop()
		}
	}
	running.tests++
	return running.browser, nil
}

// leaveBrowser ends the browser after the last test.
func leaveBrowser() {
	running.Lock()
	defer running.Unlock()
	if running.tests--; running.tests == 0 {
		running.end()
	}
}

func findChromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("AGENTPLANE_TEST_CHROMIUM") != "" {
		t.Fatal("AGENTPLANE_TEST_CHROMIUM is set and there is no Chromium")
	}
	t.Skip("Chromium is not installed")
	return ""
}
