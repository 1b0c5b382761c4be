package deployment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDeployment_manyRefreshed plans many unchanged deployments: what is not read alone is read from the list.
func TestAccDeployment_manyRefreshed(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	plane := providertest.NewDev(t)
	many := 40
	if testing.Short() { // With the race detector.
		many = 15
	}
	variables := config.Variables{"amount": config.IntegerVariable(many)}
	create := step(plane, "many", variables)
	var before int
	again := step(plane, "many", variables)
	again.PlanOnly = true
	again.PreConfig = func() { before = len(plane.Server.Requests()) }
	counted := step(plane, "many", variables)
	counted.PreConfig = func() {
		// The step before has planned at least once, and no plan may cost more than ten reads and a page.
		if asked := len(plane.Server.Requests()) - before; asked < 2 || asked > 4*11 {
			t.Errorf("plans of %d unchanged deployments sent %d requests, want 2 to 11 each", many, asked)
		}
	}
	counted.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{create, again, counted},
	})
	if revisions := len(plane.Requests("PATCH", "/v2/deployments/*")); revisions > 0 {
		t.Errorf("%d patches were sent", revisions)
	}
}
