package providertest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccGuide_agentsForUsers follows the guide: the check fails until the user has logged in, and then the agent is connected.
func TestAccGuide_agentsForUsers(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide := openGuide(t, "agents-for-users.md")
	const secret = "-var=client_secret=the-clients-own-secret"
	plane := providertest.NewDev(t)
	c := startCLI(t, plane)
	c.needs(11, 11) // Ephemeral variables and write-only arguments.
	c.write("main.tf", guide.configuration())
	const alarm = "Nobody is logged in at the calendar yet."
	if told := c.run(0, "apply", "-auto-approve", secret); !strings.Contains(told, alarm) {
		t.Errorf("before the login:\n%s", told)
	}
	guide.leave(1, "TestAccAuthenticate_apply_next")
	plane.Call("POST", "/v2/auth/tokens/import", map[string]any{"provider_id": "calendar", "access_token": "the-users-own-token"}, nil)
	c.write("connection.tf", guide.configuration())
	if told := c.run(0, "apply", "-auto-approve", secret); strings.Contains(told, alarm) {
		t.Errorf("after the login:\n%s", told)
	}
	var connected struct {
		Data []struct {
			ProviderID string `json:"provider_id"`
		} `json:"data"`
	}
	plane.Call("GET", "/v2/auth/agents/assistant/connections", nil, &connected)
	if len(connected.Data) != 1 || connected.Data[0].ProviderID != "calendar" {
		t.Errorf("the agent is connected to %+v", connected.Data)
	}
	for _, name := range []string{"terraform.tfstate", "terraform.tfstate.backup"} {
		if state := readText(t, filepath.Join(c.directory, name)); strings.Contains(state, "-own-") {
			t.Errorf("a secret is in %s", name)
		}
	}
}
