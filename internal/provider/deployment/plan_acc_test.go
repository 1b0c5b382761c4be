package deployment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// revisionPredicted expects a plan that shows a new revision, or one without changes of the attributes about revisions.
func revisionPredicted(made bool) []plancheck.PlanCheck {
	var checks []plancheck.PlanCheck
	for _, attribute := range []string{"latest_revision_id", "latest_revision_status", "active_revision_id"} {
		at := tfjsonpath.New(attribute)
		if made {
			checks = append(checks, plancheck.ExpectUnknownValue(address, at))
			continue
		}
		checks = append(checks, plancheck.ExpectKnownValue(address, at, knownvalue.NotNull()))
	}
	return append(checks, plancheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.NotNull()),
		plancheck.ExpectKnownValue(address, tfjsonpath.New("created_at"), knownvalue.NotNull()))
}

// TestAccDeployment_buildOnPushRemoved removes the argument: the plan shows that builds on push stop, and they do.
func TestAccDeployment_buildOnPushRemoved(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.New(t)
		on := step(plane, "git_host", config.Variables{"build_on_push": config.BoolVariable(true)})
		removed := step(plane, "git_host", nil)
		removed.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
			plancheck.ExpectKnownValue(address, tfPath([]string{"source_config", "build_on_push"}), knownvalue.Bool(false)),
		}
		tryAll(t, plane, on, removed)
	})
}
