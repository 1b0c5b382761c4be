package deployment_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

func settingsStep(plane *providertest.Plane, more config.Variables, check resource.TestCheckFunc, preApply ...plancheck.PlanCheck) resource.TestStep {
	s := step(plane, "settings", more)
	s.Check = check
	s.ConfigPlanChecks.PreApply = preApply
	return s
}

// TestAccSettings_noWait returns while the rollout is in progress. A later plan reads its status without waiting, and repairs
// it if it has failed.
func TestAccSettings_noWait(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t, unlagged)
		s := spyOn(t, plane, nil)
		quick := config.Variables{"wait_for_deployed": config.BoolVariable(false)}
		before := plane.Clock.Now()
		create := settingsStep(plane, quick, all(s.expectWrites(1, 0), func(*terraform.State) error {
			if passed := plane.Clock.Now().Sub(before); passed > 0 {
				return fmt.Errorf("the apply waited %s, want no waiting", passed)
			}
			return nil
		}))
		create.PreConfig = plane.Arm(rolloutFault(api.RevisionDeploying, "the container exited with code 1"))
		create.ConfigStateChecks = []statecheck.StateCheck{known(text(plane.FirstStatus()), "latest_revision_status")}
		pending := settingsStep(plane, quick, s.expectWrites(1, 0), noop)
		repaired := settingsStep(plane, quick, all(s.expectWrites(1, 1), expectRevisions(plane, 2)), updates(true)...)
		repaired.PreConfig = func() { plane.Clock.Advance(providertest.Rollout) }
		waited := settingsStep(plane, nil, all(s.expectWrites(1, 1), expectRevisions(plane, 2)),
			plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate))
		waited.ConfigStateChecks = []statecheck.StateCheck{known(text("DEPLOYED"), "latest_revision_status")}
		run(t, plane, create, pending, repaired, waited)
	})
}
