package deployment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDeployment_manyRefreshed plans many unchanged deployments: most of them are read from the list instead of individually.
func TestAccDeployment_manyRefreshed(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	const many = 20
	variables := config.Variables{"amount": config.IntegerVariable(many)}
	create := step(plane, "many", variables)
	var before int
	again := step(plane, "many", variables)
	again.PlanOnly = true
	again.PreConfig = func() { before = len(plane.Server.Requests()) }
	counted := step(plane, "many", variables)
	counted.PreConfig = func() {
		// The previous step has planned at least once, and no plan may take more than ten reads and a page.
		if asked := len(plane.Server.Requests()) - before; asked < 2 || asked > 4*11 {
			t.Errorf("plans of %d unchanged deployments sent %d requests, want 2 to 11 each", many, asked)
		}
	}
	counted.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
	runCLI(t, plane, create, again, counted)
	if revisions := len(plane.Requests("PATCH", "/v2/deployments/*")); revisions > 0 {
		t.Errorf("sent %d PATCHes, want none", revisions)
	}
}

// TestAccDeployment_notFoundOnce returns a single 404 for the deployment, after its rollout and in a plan: it still exists
// and stays in state.
func TestAccDeployment_notFoundOnce(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	odd := g.armed(func() { g.when(reading, 1, answered(404, `{"detail": "Deployment not found."}`)) })
	create := step(plane, "fail_image", nil)
	create.PreConfig = odd
	create.Check = all(g.counted(creation, 1), g.counted(deletion, 0), healthy(plane))
	create.ConfigStateChecks = []statecheck.StateCheck{known(text("DEPLOYED"), "latest_revision_status")}
	again := step(plane, "fail_image", nil)
	again.PreConfig = odd
	again.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
	again.Check = all(g.counted(creation, 0), g.counted(changing, 0), g.counted(deletion, 0), healthy(plane))
	tryAll(t, plane, create, again)
}
