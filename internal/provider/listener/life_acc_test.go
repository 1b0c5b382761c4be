package listener_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

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
