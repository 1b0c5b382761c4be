package listener_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// expectBody checks the body of the last request with the method.
func expectBody(plane *providertest.Plane, method, want string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		all := sent(plane, method)
		if len(all) == 0 {
			return fmt.Errorf("%s wasn't sent", method)
		}
		var got, wanted any
		if err := json.Unmarshal(all[len(all)-1].Body, &got); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			return err
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			return fmt.Errorf("body of the last %s (-want +got):\n%s", method, diff)
		}
		return nil
	}
}

// planned expects an action for the listener.
func planned(action plancheck.ResourceActionType, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: append(more, plancheck.ExpectResourceAction(managed, action))}
}

// TestAccListener creates, changes and destroys a listener: every write must contain only the changes.
func TestAccListener(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	create := step(plane, "resource", nil)
	create.ConfigPlanChecks = planned(plancheck.ResourceActionCreate,
		plancheck.ExpectKnownValue(managed, tfjsonpath.New("workspace_id"), text(providertest.WorkspaceID)),
		plancheck.ExpectUnknownValue(managed, tfjsonpath.New("id")))
	create.ConfigStateChecks = []statecheck.StateCheck{
		is(knownvalue.StringRegexp(uuidPattern), "id"),
		is(text(providertest.WorkspaceID), "workspace_id"),
		is(text(computeID), "compute_id"),
		is(text("k8s"), "compute_type"),
		is(knownvalue.Null(), "compute_config", "k8s_namespaces"),
		is(knownvalue.Null(), "version"),
		is(knownvalue.NotNull(), "created_at"),
		is(knownvalue.NotNull(), "updated_at"),
	}
	create.Check = expectBody(plane, http.MethodPost, `{"compute_type": "k8s", "compute_id": "tf-acc-cluster", "compute_config": {}}`)

	unmoved := statecheck.CompareValue(compare.ValuesSame())
	create.ConfigStateChecks = append(create.ConfigStateChecks, unmoved.AddStateValue(managed, tfjsonpath.New("id")))
	steps := []resource.TestStep{create}
	for _, change := range []struct {
		variables  config.Variables
		body       string
		version    knownvalue.Check
		namespaces knownvalue.Check
	}{
		{
			config.Variables{"k8s_namespaces": names("agents", "staging")},
			`{"compute_config": {"k8s_namespaces": ["agents", "staging"]}}`, knownvalue.Null(), texts("agents", "staging"),
		},
		{
			config.Variables{"k8s_namespaces": names("agents", "staging"), "listener_version": config.StringVariable("1.0.0")},
			`{"version": "1.0.0"}`, text("1.0.0"), texts("agents", "staging"),
		},
		{
			config.Variables{"k8s_namespaces": names(), "listener_version": config.StringVariable("2.0.0")},
			`{"version": "2.0.0", "compute_config": {"k8s_namespaces": []}}`, text("2.0.0"), texts(),
		},
	} {
		update := step(plane, "resource", change.variables)
		update.PreConfig = func() { plane.Clock.Advance(providertest.Rollout) }
		update.ConfigPlanChecks = planned(plancheck.ResourceActionUpdate,
			plancheck.ExpectUnknownValue(managed, tfjsonpath.New("updated_at")),
			plancheck.ExpectKnownValue(managed, tfjsonpath.New("id"), knownvalue.StringRegexp(uuidPattern)))
		update.Check = expectBody(plane, http.MethodPatch, change.body)
		update.ConfigStateChecks = []statecheck.StateCheck{
			is(change.version, "version"), is(change.namespaces, "compute_config", "k8s_namespaces"),
			unmoved.AddStateValue(managed, tfjsonpath.New("id")),
		}
		steps = append(steps, update)
	}
	// Removing the arguments changes nothing, because the service can't clear them.
	removed := step(plane, "resource", nil)
	removed.ConfigPlanChecks = planned(plancheck.ResourceActionNoop)
	removed.ConfigStateChecks = []statecheck.StateCheck{is(text("2.0.0"), "version"), is(texts(), "compute_config", "k8s_namespaces")}
	removed.Check = expectSent(plane, 1, 3, 0)
	tryAll(t, plane, append(steps, removed)...)
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
