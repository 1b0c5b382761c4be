package providertest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// agentsGuide is the configuration of the guide in a directory.
type agentsGuide struct {
	*cli
	t *testing.T
}

const clientSecret = "-var=client_secret=the-clients-own-secret"

func openAgentsGuide(t *testing.T) agentsGuide {
	t.Helper()
	providertest.InOneDialect(t)
	guide := openGuide(t, "agents-for-users.md")
	c := startCLI(t, providertest.NewDev(t))
	c.needs(11, 11) // Ephemeral variables and write-only arguments.
	c.write("main.tf", guide.configuration())
	c.write("connection.tf", guide.configuration())
	guide.leave(1, "TestAccAuthenticate_apply_next")
	return agentsGuide{c, t}
}

func (g agentsGuide) login() {
	g.plane.Call("POST", "/v2/auth/tokens/import", map[string]any{"provider_id": "calendar", "access_token": "the-users-own-token"}, nil)
}

func (g agentsGuide) logout() {
	g.plane.Call("DELETE", "/v2/auth/tokens?provider_id=calendar", nil, nil)
}

// applies expects an apply to succeed, with or without texts in what it prints, and the plan after it to be empty.
func (g agentsGuide) applies(when string, with, without []string, arguments ...string) {
	g.t.Helper()
	told := strings.Join(strings.Fields(g.run(0, append([]string{"apply", "-auto-approve", clientSecret}, arguments...)...)), " ")
	for _, text := range with {
		if !strings.Contains(told, text) {
			g.t.Errorf("%s, the apply doesn't tell %q:\n%s", when, text, told)
		}
	}
	for _, text := range without {
		if strings.Contains(told, text) {
			g.t.Errorf("%s, the apply tells %q:\n%s", when, text, told)
		}
	}
	g.run(0, "plan", "-detailed-exitcode", clientSecret)
}

// connected expects the agent to be connected to so many tokens.
func (g agentsGuide) connected(when string, want int) {
	g.t.Helper()
	var list struct {
		Data []struct {
			ProviderID string `json:"provider_id"`
		} `json:"data"`
	}
	g.plane.Call("GET", "/v2/auth/agents/assistant/connections", nil, &list)
	if len(list.Data) != want || want > 0 && list.Data[0].ProviderID != "calendar" {
		g.t.Errorf("%s, the agent is connected to %+v", when, list.Data)
	}
}

// TestAccGuide_agentsForUsers follows the guide from an empty service through a login, a logout, a login and a logout to a destroy: the
// check fails while the user is logged out, and nothing else does.
func TestAccGuide_agentsForUsers(t *testing.T) {
	t.Parallel()
	g := openAgentsGuide(t)
	const alarm, waiting = "Nobody is logged in at the calendar yet.", `Agent "assistant" is not connected yet`
	g.applies("before the login", []string{alarm, waiting}, nil)
	for _, when := range []string{"after the login", "after the second login"} {
		g.login()
		g.applies(when, nil, []string{alarm, waiting})
		g.connected(when, 1)
		g.logout()
		g.plane.Clock.Advance(providertest.Unseen)
		g.applies("after the logout", []string{alarm}, nil)
		g.connected("after the logout", 0)
	}
	g.run(0, "destroy", "-auto-approve", clientSecret)
	for _, name := range []string{"terraform.tfstate", "terraform.tfstate.backup"} {
		if state := readText(t, filepath.Join(g.directory, name)); strings.Contains(state, "-own-") {
			t.Errorf("a secret is in %s", name)
		}
	}
}

// TestAccGuide_agentsForUsers_replaced replaces the OAuth provider of the guide, which deletes the user's token, and connects the agent
// after the next login. A destroy works while the user is logged in.
func TestAccGuide_agentsForUsers_replaced(t *testing.T) {
	t.Parallel()
	g := openAgentsGuide(t)
	g.applies("at first", nil, nil)
	g.login()
	g.applies("after the login", nil, nil)
	g.write("override.tf", `resource "agentplane_oauth_provider" "calendar" { token_endpoint_auth_method = "client_secret_basic" }`)
	g.applies("when the OAuth provider is replaced", []string{
		"deletes 1 token of the user of the API key", "replace_triggered_by = [ADDRESS.id]", "2 added, 0 changed, 2 destroyed",
	}, nil)
	g.connected("after the replacement", 0)
	g.applies("when its replacement is requested", []string{"2 added, 0 changed, 2 destroyed"}, nil, "-replace=agentplane_oauth_provider.calendar")
	g.connected("after the replacement", 0)
	g.login()
	g.applies("after the second login", []string{"0 added, 1 changed, 0 destroyed"}, nil)
	g.connected("after the second login", 1)
	g.run(0, "destroy", "-auto-approve", clientSecret)
	g.connected("after the destroy", 0)
}
