package deployment_test

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// plannedChange is a changed variable, and the expected plan.
type plannedChange struct {
	variable string
	value    config.Variable
	action   plancheck.ResourceActionType
	revision bool
}

// steps applies the changes one after the other, each in addition to those before.
func steps(plane *providertest.Plane, directory string, changes []plannedChange) []resource.TestStep {
	variables := config.Variables{}
	all := []resource.TestStep{step(plane, directory, variables)}
	for _, change := range changes {
		variables = maps.Clone(variables)
		variables[change.variable] = change.value
		next := step(plane, directory, variables)
		next.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, change.action)}
		if change.action == plancheck.ResourceActionUpdate {
			next.ConfigPlanChecks.PreApply = append(next.ConfigPlanChecks.PreApply, revisionPredicted(change.revision)...)
		}
		all = append(all, next)
	}
	return all
}

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

func TestAccDeployment_replaced(t *testing.T) {
	t.Parallel()
	const replace = plancheck.ResourceActionReplace
	t.Run("external_container", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		var listener struct {
			ID string `json:"id"`
		}
		plane.Call("POST", "/dev/listeners", map[string]any{
			"compute_id": "another-cluster", "k8s_namespaces": []string{plane.OtherK8sNamespace},
		}, &listener)
		tryAll(t, plane, steps(plane, "external_container", []plannedChange{
			{variable: "name", value: config.StringVariable("tf-acc-renamed"), action: replace},
			{variable: "k8s_namespace", value: config.StringVariable(plane.OtherK8sNamespace), action: replace},
			{variable: "listener_id", value: config.StringVariable(listener.ID), action: replace},
		})...)
	})
	t.Run("git_host", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		var integration struct {
			ID string `json:"id"`
		}
		plane.Call("POST", "/dev/integrations", anotherOrg, &integration)
		tryAll(t, plane, steps(plane, "git_host", []plannedChange{
			{variable: "name", value: config.StringVariable("tf-acc-renamed"), action: replace},
			{variable: "repo_url", value: config.StringVariable("https://git.example.com/example-org/research-agent"), action: replace},
			{variable: "deployment_type", value: config.StringVariable("dev"), action: replace},
			{variable: "integration_id", value: config.StringVariable(integration.ID), action: replace},
		})...)
	})
	t.Run("source", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		tryAll(t, plane, steps(plane, "source_changes", []plannedChange{
			{variable: "source_value", value: config.StringVariable("git_host"), action: replace},
			{variable: "source_value", value: config.StringVariable("external_container"), action: replace},
		})...)
	})
}

// anotherOrg is an integration that can access the repositories of the seeded one.
var anotherOrg = map[string]any{"name": "another-org", "repositories": []map[string]any{
	{"name": "chat", "url": "https://git.example.com/example-org/chat"},
	{"name": "research-agent", "url": "https://git.example.com/example-org/research-agent"},
}}

// TestAccDeployment_updatedInPlace changes every argument that can be updated in place, and counts the requests: one PATCH
// for each change, and none for arguments that aren't sent.
func TestAccDeployment_updatedInPlace(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		const update = plancheck.ResourceActionUpdate
		variable := func(value string) config.Variable {
			return config.MapVariable(map[string]config.Variable{"NAME": config.StringVariable(value)})
		}
		t.Run("external_container", func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			all := steps(plane, "external_container", []plannedChange{
				{"image_uri", config.StringVariable("registry.example.com/agents/chat:2.0.0"), update, true},
				{"environment", variable("one"), update, true},
				{"environment", variable("two"), update, true},
				{"custom_url", config.StringVariable("https://chat.example.com"), update, false},
				{"timeouts", config.MapVariable(map[string]config.Variable{"update": config.StringVariable("45m")}), update, false},
			})
			all[len(all)-1].Check = expectRequests(plane, map[string]int{"POST": 1, "PATCH": 4})
			tryAll(t, plane, all...)
		})
		t.Run("git_host", func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			all := steps(plane, "git_host", []plannedChange{
				{"repo_ref", config.StringVariable("release"), update, true},
				{"graph_config_path", config.StringVariable("agents/graph.json"), update, true},
				{"build_on_push", config.BoolVariable(true), update, false},
				{"install_command", config.StringVariable("npm ci"), update, plane.Dialect().CommandsMakeRevision},
				{"build_command", config.StringVariable("npm run build"), update, plane.Dialect().CommandsMakeRevision},
			})
			all[len(all)-1].Check = expectRequests(plane, map[string]int{"POST": 1, "PATCH": 5})
			tryAll(t, plane, all...)
		})
	})
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
