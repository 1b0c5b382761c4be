package deployment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDeployment_life changes a deployment whose arguments are unknown in each plan, and replaces it when it is tainted, with and without a
// CLI. The table of all resources does the rest.
func TestAccDeployment_life(t *testing.T) {
	t.Parallel()
	providertest.Both(t, func(plane *providertest.Plane) resource.TestCase {
		next := config.Variables{"tag": config.StringVariable("2.0.0")}
		refused, updated, replaced := step(plane, "unknown_inputs", next), step(plane, "unknown_inputs", next), step(plane, "unknown_inputs", next)
		refused.PreConfig = plane.Arm(devserver.Fault{Match: "PATCH /v2/deployments/{deployment_id}", Status: 400, Detail: "Not today"})
		refused.ExpectError = words("Cannot update deployment")
		updated.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}
		replaced.Taint = []string{address}
		replaced.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace)}
		return testCase(plane, step(plane, "unknown_inputs", nil), refused, updated, replaced)
	})
}
