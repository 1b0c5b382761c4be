package providertest_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/toylogin"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccAuthenticate_browser: the action waits while the user logs in with a browser, and ends when they have.
func TestAccAuthenticate_browser(t *testing.T) {
	t.Parallel()
	browser := devservertest.NewBrowser(t)
	plane := providertest.NewDev(t)
	provideToyLogin(t, plane)
	rpc := plane.RPC()
	shown := ""
	messages, diags := rpc.Invoke(t.Context(), "agentplane_authenticate", map[string]any{"provider_id": "toy", "scopes": []string{"read"}}, func(message string) {
		if _, address, is := strings.Cut(message, "log in at "); is {
			shown = logInWith(browser, t, address)
		}
	})
	rpc.OK(nil, diags)
	if last := messages[len(messages)-1]; last != `OAuth provider "toy": the user has logged in` || shown != "Toy is connected. You can close this window." {
		t.Errorf("told %q, and the browser shows %q", messages, shown)
	}
	checkLoggedIn(t, plane)
}

// TestAccAuthenticate_apply_next: the same while terraform apply waits, which runs the action of the guide after it has created a resource.
func TestAccAuthenticate_apply_next(t *testing.T) {
	t.Parallel()
	browser := devservertest.NewBrowser(t)
	plane := providertest.NewDev(t)
	provideToyLogin(t, plane)
	c := startCLI(t, plane)
	c.needsTerraform(14)
	c.write("action.tf", strings.NewReplacer(`"calendar"`+"\n", `"toy"`+"\n", `"calendar.read"`, `"read"`).
		Replace(blockWith(t, filepath.Join("templates", "guides", "agents-for-users.md"), `action "agentplane_authenticate"`)))
	c.write("main.tf", `
terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

resource "terraform_data" "agent" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.agentplane_authenticate.calendar]
    }
  }
}
`)
	apply := c.command("apply", "-auto-approve")
	printed, err := apply.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := apply.Start(); err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	shown := ""
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		fmt.Fprintln(&told, lines.Text())
		if _, address, is := strings.Cut(lines.Text(), "log in at "); is {
			shown = logInWith(browser, t, strings.TrimSpace(address))
		}
	}
	if err := apply.Wait(); err != nil || shown != "Toy is connected. You can close this window." ||
		!strings.Contains(told.String(), "Apply complete! Resources: 1 added") {
		t.Errorf("%v, the browser shows %q, and the apply told:\n%s", err, shown, told.String())
	}
	checkLoggedIn(t, plane)
}

// provideToyLogin registers an OAuth provider "toy", whose login accepts everybody.
func provideToyLogin(t *testing.T, plane *providertest.Plane) {
	t.Helper()
	toy := toylogin.New(time.Now, seal.NewKey())
	listening := httptest.NewServer(toy)
	t.Cleanup(listening.Close)
	plane.Call("POST", "/v2/auth/providers", map[string]any{
		"provider_id": "toy", "name": "Toy", "client_id": toy.Client().ID, "client_secret": toy.Client().Secret,
		"auth_url": toylogin.AuthURL(listening.URL), "token_url": toylogin.TokenURL(listening.URL), "uses_pkce": true,
	}, nil)
}

func checkLoggedIn(t *testing.T, plane *providertest.Plane) {
	t.Helper()
	var tokens []struct{ Scopes []string }
	if plane.Call("GET", "/v2/auth/tokens", nil, &tokens); len(tokens) != 1 || !slices.Equal(tokens[0].Scopes, []string{"read"}) {
		t.Errorf("the user has the tokens %v", tokens)
	}
}

// logInWith does what a user does who was given an address, and returns what they are told in the end.
func logInWith(browser context.Context, t *testing.T, address string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(browser, time.Minute)
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
