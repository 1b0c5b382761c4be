package providertest_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccFirstApply_browser goes from an empty server to a deployment: it copies the example and the commands from the first page with their
// buttons, runs them with nothing else set, and sees the deployment on the page, which is still open.
func TestAccFirstApply_browser(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(devservertest.NewBrowser(t), 2*time.Minute)
	defer cancel()
	plane := providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Keys, cfg.Rollout = nil, 0 })
	listening := httptest.NewServer(plane.Server) // No contract has pages.
	t.Cleanup(listening.Close)
	c := startCLI(t, plane)
	c.environment = slices.DeleteFunc(c.environment, func(variable string) bool { return strings.HasPrefix(variable, "AGENTPLANE_") })
	c.offer("0.1.0")
	err := chromedp.Do(ctx, chromedp.Navigate(listening.URL+"/"))
	for _, permission := range []string{"clipboard-read", "clipboard-write"} {
		if err == nil {
			_, err = chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
				Permission: &browser.PermissionDescriptor{Name: permission}, Setting: browser.PermissionSettingGranted,
				BrowserContextID: chromedp.FromContext(ctx).BrowserContextID,
			})
		}
	}
	if err == nil { // Other tests have tabs in the same browser.
		_, err = chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	until := func(expression string) {
		t.Helper()
		if _, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(100*time.Millisecond))); err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
	}
	copied := func(label string) string {
		t.Helper()
		button := `.copy:has(+ pre[aria-label="` + label + `"])`
		if err := chromedp.Do(ctx, chromedp.Click(button)); err != nil {
			t.Fatal(err)
		}
		until("document.querySelector('" + button + "').textContent === 'Copied'")
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`navigator.clipboard.readText()`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	c.write("main.tf", copied("Configuration for Terraform"))
	if told := c.shell(copied("Commands")); !strings.Contains(told, "Apply complete! Resources: 1 added") {
		t.Error(told)
	}
	until(`[...document.querySelectorAll("tbody tr")].some(row => /^chat\s.*READY.*DEPLOYED/s.test(row.innerText))`)
}
