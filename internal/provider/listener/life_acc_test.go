package listener_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccListener_life creates, imports, updates, repairs, replaces and destroys a listener, with and without a CLI.
func TestAccListener_life(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		providertest.Both(t, func(plane *providertest.Plane) resource.TestCase {
			create := step(plane, "resource", config.Variables{"k8s_namespaces": names("agents")})
			create.ConfigPlanChecks = planned(plancheck.ResourceActionCreate)
			newer := config.Variables{"k8s_namespaces": names("agents", "staging"), "listener_version": config.StringVariable("1.0.0")}
			update := step(plane, "resource", newer)
			update.ConfigPlanChecks = planned(plancheck.ResourceActionUpdate)
			drifted := update
			drifted.PreConfig = func() {
				plane.Call(http.MethodPatch, "/v2/listeners/"+holding(t, plane, computeID).ID, map[string]any{"version": "9.9.9"}, nil)
			}
			replaced := step(plane, "resource", config.Variables{"compute_id": config.StringVariable("tf-acc-moved")})
			replaced.ConfigPlanChecks = planned(plancheck.ResourceActionReplace)
			destroyed := replaced
			destroyed.ConfigPlanChecks, destroyed.Destroy = planned(plancheck.ResourceActionDestroy), true
			return resource.TestCase{
				ProtoV6ProviderFactories: plane.Factories(),
				Steps:                    []resource.TestStep{create, importing(create), update, drifted, replaced, destroyed},
			}
		})
	})
}

// TestAccListener_lifeWithDeployments uses count and depends_on, with and without a CLI.
func TestAccListener_lifeWithDeployments(t *testing.T) {
	t.Parallel()
	providertest.Both(t, func(plane *providertest.Plane) resource.TestCase {
		more := step(plane, "with_deployments", config.Variables{"k8s_namespaces": names("agents", "staging"), "deploy_to": names("agents", "staging")})
		return resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(),
			Steps:                    []resource.TestStep{step(plane, "with_deployments", nil), more},
		}
	})
}
