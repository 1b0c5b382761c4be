package oauthtoken_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccAuthenticate_browser: the action waits while the user logs in with a browser, and ends when they have.
func TestAccAuthenticate_browser(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	chromium := findChromium(t)
	plane := providertest.NewDev(t)
	plane.ProvideToyLogin("toy")
	rpc := plane.RPC()
	shown := ""
	messages, diags := rpc.Invoke(t.Context(), authenticate, object{"provider_id": "toy", "scopes": []string{"read"}}, func(message string) {
		if _, address, is := strings.Cut(message, "log in at "); is {
			shown = logIn(t, chromium, address)
		}
	})
	rpc.OK(nil, diags)
	if last := messages[len(messages)-1]; last != `OAuth provider "toy": the user has logged in` || shown != "Toy is connected. You can close this window." {
		t.Errorf("told %q, and the browser shows %q", messages, shown)
	}
	var tokens []struct{ Scopes []string }
	if plane.Call("GET", "/v2/auth/tokens", nil, &tokens); len(tokens) != 1 || !slices.Equal(tokens[0].Scopes, []string{"read"}) {
		t.Errorf("the user has the tokens %v", tokens)
	}
}

// logIn does what a user does who was given an address, and returns what they are told in the end.
func logIn(t *testing.T, chromium, address string) string {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(address), chromedp.Click("#allow"), chromedp.WaitReady("#message")); err != nil {
		t.Error(err)
		return ""
	}
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.querySelector("#message").innerText`))
	if err != nil {
		t.Error(err)
	}
	return text
}

// findChromium skips the test where there is none, unless AGENTPLANE_TEST_CHROMIUM says that there has to be one.
func findChromium(t *testing.T) string {
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
