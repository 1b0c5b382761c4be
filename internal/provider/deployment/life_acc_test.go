package deployment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDeployment_life updates and replaces deployments, with and without a CLI, as the table of all resources does for their own life.
func TestAccDeployment_life(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		expect := func(step resource.TestStep, action plancheck.ResourceActionType) resource.TestStep {
			step.ConfigPlanChecks.PreApply = append(step.ConfigPlanChecks.PreApply, plancheck.ExpectResourceAction(address, action))
			return step
		}
		one := func(name, value string) config.Variables { return config.Variables{name: config.StringVariable(value)} }
		for name, scenario := range map[string]func(plane *providertest.Plane) []resource.TestStep{
			"git_host": func(plane *providertest.Plane) []resource.TestStep {
				create := step(plane, "git_host", nil)
				update := step(plane, "git_host", one("repo_ref", "refs/tags/v1.1.0"))
				tainted := update
				tainted.Taint = []string{address}
				return []resource.TestStep{
					create, expect(update, plancheck.ResourceActionUpdate), expect(tainted, plancheck.ResourceActionReplace),
				}
			},
			"unknown inputs": func(plane *providertest.Plane) []resource.TestStep {
				refused := step(plane, "unknown_inputs", one("tag", "2.0.0"))
				refused.PreConfig = plane.Arm(devserver.Fault{Match: "PATCH /v2/deployments/{deployment_id}", Status: 400, Detail: "Not today"})
				refused.ExpectError = words("Cannot update deployment")
				return []resource.TestStep{
					step(plane, "unknown_inputs", nil), refused,
					expect(step(plane, "unknown_inputs", one("tag", "2.0.0")), plancheck.ResourceActionUpdate),
				}
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				providertest.Both(t, func(plane *providertest.Plane) resource.TestCase { return testCase(plane, scenario(plane)...) })
			})
		}
	})
}
