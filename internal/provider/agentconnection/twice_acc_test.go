package agentconnection_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// twice is one connection, or two resources for the same one, from the beginning or later.
func twice(plane *providertest.Plane, copies, generation int, says string) resource.TestStep {
	s := step("twice", config.Variables{"copies": config.IntegerVariable(copies), "generation": config.IntegerVariable(generation)})
	s.Check = func(*terraform.State) error {
		if has := connections(plane, "helper"); len(has) != 1 {
			return fmt.Errorf("the connections are %v, want one", has)
		}
		return nil
	}
	if says != "" {
		s.ExpectError = providertest.Words(says)
	}
	return s
}

// terraforms runs steps whose configuration needs the real CLI.
func terraforms(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), Steps: steps,
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)},
	})
}

// TestAccAgentConnection_twice refuses a second resource for the same connection, which would end with the first of them. A replacement
// isn't a second one.
func TestAccAgentConnection_twice(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	imported(plane)
	const refused = `This plan connects agent "helper" twice to the user's token of OAuth provider "calendar"`
	terraforms(t, plane, twice(plane, 2, 1, refused), twice(plane, 1, 1, ""), twice(plane, 2, 1, refused), twice(plane, 1, 2, ""))
}

// TestAccAgentConnection_twiceUnknown refuses it in the apply if the plan didn't know the agent.
func TestAccAgentConnection_twiceUnknown(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	imported(plane)
	terraforms(t, plane, twice(plane, 3, 1, `the user's token of OAuth provider "calendar"`), twice(plane, 1, 1, ""))
}
