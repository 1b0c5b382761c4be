package listener_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccListener_anotherComputeType imports a listener that isn't Kubernetes', changes it in place and destroys it. Only a listener that has
// such a type can be managed, and only without namespaces.
func TestAccListener_anotherComputeType(t *testing.T) {
	t.Parallel()
	for name, configured := range map[string]config.Variables{"omitted": nil, "configured": {"compute_type": config.StringVariable("vm")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			if !plane.HasComputeType(t, "vm") {
				return
			}
			var listener api.Listener
			plane.Call(http.MethodPost, "/dev/listeners", map[string]any{"compute_type": "vm", "compute_id": computeID}, &listener)
			with := func(changes config.Variables) resource.TestStep {
				variables := maps.Clone(configured)
				if variables == nil {
					variables = config.Variables{}
				}
				maps.Copy(variables, changes)
				return step(plane, "resource", variables)
			}
			steps := adopting(with(nil), listener.ID)
			steps[1].ConfigStateChecks = []statecheck.StateCheck{is(text("vm"), "compute_type"), is(text(listener.ID), "id")}
			placed := with(config.Variables{"k8s_namespaces": names("agents")})
			placed.ExpectError = providertest.Words(`compute_config.k8s_namespaces is set, but the listener's compute_type is "vm"`)
			changed := with(config.Variables{"listener_version": config.StringVariable("1.1")})
			changed.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(managed, plancheck.ResourceActionUpdate)}
			changed.ConfigStateChecks = []statecheck.StateCheck{is(text("vm"), "compute_type"), is(text(listener.ID), "id")}
			tryAll(t, plane, append(steps, placed, changed)...)
			if err := expectSent(plane, 0, 1, 1)(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// adopting imports into the state that the next steps use, and expects an empty plan.
func adopting(matching resource.TestStep, id string) []resource.TestStep {
	matching.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
	return []resource.TestStep{{
		ConfigDirectory: matching.ConfigDirectory, ConfigVariables: matching.ConfigVariables,
		ResourceName: managed, ImportState: true, ImportStatePersist: true, ImportStateId: id,
	}, matching}
}
