package deployment_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
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

// TestAccSettings_workspace creates a deployment in a workspace other than the provider's.
func TestAccSettings_workspace(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, twoWorkspaces)
	s := spyOn(t, plane, nil)
	there := plane.In(otherWorkspace)
	inWorkspace := func(where *providertest.Plane) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if only(where).Name != "tf-acc-settings" {
				return errors.New("the deployment is in the wrong workspace")
			}
			return nil
		}
	}
	explicit := settingsStep(plane, config.Variables{"workspace_id": config.StringVariable(providertest.WorkspaceID)},
		all(s.expectWrites(1, 0), inWorkspace(plane)), noop)
	moved := settingsStep(there, config.Variables{"workspace_id": config.StringVariable(otherWorkspace)},
		all(s.expectWrites(2, 0), inWorkspace(there), checkNoneLeft(plane)),
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace))
	moved.ConfigStateChecks = []statecheck.StateCheck{known(text(otherWorkspace), "workspace_id")}
	// A deployment stays in its workspace when the configuration no longer sets workspace_id.
	unsaid := settingsStep(there, nil, s.expectWrites(2, 0), noop)
	updated := settingsStep(there, config.Variables{"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0")},
		all(s.expectWrites(2, 1), inWorkspace(there)), updates(true)...)
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: all(checkNoneLeft(plane), checkNoneLeft(there)),
		Steps: []resource.TestStep{
			settingsStep(plane, nil, all(s.expectWrites(1, 0), inWorkspace(plane))), explicit, moved, unsaid, updated,
		},
	})
}

// TestAccSettings_triggers makes revisions without other changes.
func TestAccSettings_triggers(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	s := spyOn(t, plane, nil)
	at := func(pairs ...string) config.Variables { return config.Variables{"triggers": variables(pairs...)} }
	resent := expectBody(plane, http.MethodPatch, `{"source_revision_config": {"image_uri": "registry.example.com/agents/chat:1.0.0"}}`)
	both := at("run", "3")
	both["image_uri"] = config.StringVariable("registry.example.com/agents/chat:2.0.0")
	run(t, plane,
		settingsStep(plane, nil, nil),
		settingsStep(plane, at("run", "1"), s.expectWrites(1, 0), updates(false)...), // Only stored in state.
		settingsStep(plane, at("run", "2"), all(s.expectWrites(1, 1), expectRevisions(plane, 2), resent), updates(true)...),
		settingsStep(plane, both, all(s.expectWrites(1, 2), expectRevisions(plane, 3)), updates(true)...),
		settingsStep(plane, config.Variables{"image_uri": both["image_uri"]}, s.expectWrites(1, 2), updates(false)...),
	)
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

// TestAccSettings_protected expects plans that would destroy the deployment to fail at the attribute that forces it.
func TestAccSettings_protected(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	protected := config.Variables{"deletion_protection": config.BoolVariable(true)}
	destroyed := settingsStep(plane, protected, nil)
	destroyed.Destroy = true
	destroyed.ExpectError = words(`Deployment is protected .* Deployment "tf-acc-settings" would be destroyed`)
	replaced := settingsStep(plane, config.Variables{
		"deletion_protection": config.BoolVariable(true), "name": config.StringVariable("tf-acc-renamed"),
	}, nil)
	replaced.ExpectError = words(`Deployment is protected .* Changing name replaces deployment "tf-acc-settings"`)
	// Removing the protection in the same apply doesn't help.
	atOnce := settingsStep(plane, config.Variables{"name": config.StringVariable("tf-acc-renamed")}, nil)
	atOnce.ExpectError = replaced.ExpectError
	released := settingsStep(plane, nil, expectRequests(plane, map[string]int{"POST": 1, "PATCH": 0, "DELETE": 0}), updates(false)...)
	run(t, plane, settingsStep(plane, protected, nil), destroyed, replaced, atOnce, released)
}

// TestAccSettings_alone changes settings that aren't sent to the service: the only requests are those of the refresh.
func TestAccSettings_alone(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	s := spyOn(t, plane, nil)
	timeout := func(d string) config.Variable {
		return config.ObjectVariable(map[string]config.Variable{"create": config.StringVariable(d), "delete": config.StringVariable(d)})
	}
	steps := []resource.TestStep{settingsStep(plane, nil, nil)}
	for _, change := range []config.Variables{
		{"timeouts": timeout("1h")}, {"timeouts": timeout("2h")},
		{"wait_for_deployed": config.BoolVariable(false)}, {"on_failed_create": config.StringVariable("keep")},
		{"deletion_protection": config.BoolVariable(true)}, {"environment_ownership": config.StringVariable("declared")}, nil,
	} {
		steps = append(steps, settingsStep(plane, change, all(s.expectWrites(1, 0), expectRevisions(plane, 1)),
			append(updates(false), plancheck.ExpectKnownValue(address, tfPath([]string{"updated_at"}), knownvalue.NotNull()))...))
	}
	run(t, plane, steps...)
}
