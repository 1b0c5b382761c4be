package listener_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// planned expects an action for the listener.
func planned(action plancheck.ResourceActionType, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: append(more, plancheck.ExpectResourceAction(managed, action))}
}

// TestAccListener_withDeployments creates a listener and a deployment on it in one apply, in which the provider has read
// the listeners before, and then a namespace and a deployment in it in another apply.
func TestAccListener_withDeployments(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	more := step(plane, "with_deployments", config.Variables{"k8s_namespaces": names("agents", "staging")})
	more.ConfigPlanChecks = planned(plancheck.ResourceActionUpdate)
	more.Check = expectSent(plane, 1, 1, 0)
	// The reverse is refused: the planned listener no longer has that namespace.
	fewer := step(plane, "with_deployments", config.Variables{"k8s_namespaces": names("staging"), "deploy_to": names("agents", "new")})
	fewer.ExpectError = providertest.Words(`doesn't deploy to namespace "new", only to: staging`)
	resource.Test(t, testCase(plane, step(plane, "with_deployments", nil), more, fewer))
}
