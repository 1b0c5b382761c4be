package deployment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDeployment_life creates, updates, repairs, replaces and destroys deployments, with and without a CLI.
func TestAccDeployment_life(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		expect := func(step resource.TestStep, action plancheck.ResourceActionType) resource.TestStep {
			step.ConfigPlanChecks.PreApply = append(step.ConfigPlanChecks.PreApply, plancheck.ExpectResourceAction(address, action))
			return step
		}
		one := func(name, value string) config.Variables { return config.Variables{name: config.StringVariable(value)} }
		for name, scenario := range map[string]func(plane *providertest.Plane) []resource.TestStep{
			"external_container": func(plane *providertest.Plane) []resource.TestStep {
				create := step(plane, "external_container", nil)
				update := step(plane, "external_container", one("image_uri", plane.Image("1.1.0")))
				drifted := update
				drifted.PreConfig = patchedByOther(plane, map[string]any{"source_revision_config": map[string]any{"image_uri": plane.Image("theirs")}})
				replaced := step(plane, "external_container", one("name", plane.Name("renamed")))
				destroyed := replaced
				destroyed.Destroy = true
				return []resource.TestStep{
					expect(create, plancheck.ResourceActionCreate), expect(update, plancheck.ResourceActionUpdate),
					expect(drifted, plancheck.ResourceActionUpdate), expect(replaced, plancheck.ResourceActionReplace),
					expect(destroyed, plancheck.ResourceActionDestroy),
				}
			},
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

// TestAccDeployment_lifeOfDataSources reads deployments, with and without a CLI.
func TestAccDeployment_lifeOfDataSources(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		providertest.Both(t, func(plane *providertest.Plane) resource.TestCase {
			post(plane, "chat", nil)
			return resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
				{ConfigDirectory: config.StaticDirectory("testdata/data_list")},
				{ConfigDirectory: config.StaticDirectory("testdata/data_single"), ConfigVariables: config.Variables{"name": config.StringVariable("chat")}},
			}}
		})
	})
}
