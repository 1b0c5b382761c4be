package devservertest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// NewBrowser starts a headless browser. If Chromium is not installed, it skips the test, unless AGENTPLANE_TEST_CHROMIUM
// requires it. The race detector can't see other processes, so only tests whose names say that they run without it may start one.
func NewBrowser(t testing.TB) context.Context {
	t.Helper()
	if testing.Short() { // With the race detector.
		t.Fatal("the name of a test that starts a browser must end in _unraced")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(findChromium(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // Starts the browser, so that tabs can share it.
		t.Fatal(err)
	}
	return ctx
}

func findChromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
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
