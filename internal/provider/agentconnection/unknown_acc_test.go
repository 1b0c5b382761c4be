package agentconnection_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// TestAccUnknown replaces a connection with the token to which it refers, and a token of an agent that only the apply knows: one apply
// each, without an error.
func TestAccUnknown(t *testing.T) {
	t.Parallel()
	const connection, token = "agentplane_agent_connection.test", "agentplane_agent_provider_token.test"
	plane := calendar(t)
	rotated := step("unknown", config.Variables{"tokens": config.IntegerVariable(2)},
		action("agentplane_oauth_token.test", plancheck.ResourceActionReplace), action(connection, plancheck.ResourceActionReplace),
		action(token, plancheck.ResourceActionNoop))
	rotated.Check = func(s *terraform.State) error {
		resources := s.RootModule().Resources
		has, want := resources[connection].Primary.Attributes["oauth_token_id"], resources["agentplane_oauth_token.test"].Primary.ID
		if has != want || len(connections(plane, "connected")) != 1 {
			return fmt.Errorf("the agent is connected to %s by %v, want one connection to %s", has, connections(plane, "connected"), want)
		}
		return nil
	}
	moved := step("unknown", config.Variables{"tokens": config.IntegerVariable(2), "agent": text("other")},
		action(connection, plancheck.ResourceActionNoop), action(token, plancheck.ResourceActionReplace))
	moved.Check = func(*terraform.State) error {
		if has, had := connections(plane, "other"), connections(plane, "helper"); len(has) != 1 || len(had) > 0 {
			return fmt.Errorf("the tokens are %v and %v, want one of the other agent", had, has)
		}
		return nil
	}
	run(t, plane, step("unknown", nil), rotated, moved)
}
