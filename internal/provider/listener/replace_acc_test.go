package listener_test

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// replaceable returns the variables with which a deployment can be replaced under its name in either dialect.
func replaceable(plane *providertest.Plane, more config.Variables) config.Variables {
	variables := config.Variables{}
	maps.Copy(variables, more)
	if plane.Dialect().LangSmithAPI {
		variables["delete_tracing_project"] = config.BoolVariable(true)
	}
	return variables
}

const deployed = "agentplane_deployment.chat"

// TestAccListener_replacedInUse replaces a listener that a deployment uses: the deployment is replaced with it, in one apply,
// because nothing can delete a listener in use.
func TestAccListener_replacedInUse(t *testing.T) {
	t.Parallel()
	both := []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(managed, plancheck.ResourceActionReplace), plancheck.ExpectResourceAction(deployed, plancheck.ResourceActionReplace),
	}
	for name, change := range map[string]func(*resource.TestStep){
		"other compute_id": func(s *resource.TestStep) { s.ConfigVariables["compute_id"] = config.StringVariable("tf-acc-two") },
		"tainted":          func(s *resource.TestStep) { s.Taint = []string{managed} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			first := resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/replaced"), ConfigVariables: replaceable(plane, nil)}
			second := first
			second.ConfigVariables = replaceable(plane, nil)
			change(&second)
			second.ConfigPlanChecks.PreApply = both
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{first, second}})
		})
	}
}

// TestAccListener_replacedUnderProtection expects the plan to fail before anything is destroyed.
func TestAccListener_replacedUnderProtection(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	protected := config.Variables{"deletion_protection": config.BoolVariable(true)}
	first := resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/replaced"), ConfigVariables: protected}
	refused := first
	refused.ConfigVariables = config.Variables{"deletion_protection": config.BoolVariable(true), "compute_id": config.StringVariable("tf-acc-two")}
	refused.ExpectError = providertest.Words(`Changing source_config.listener_id replaces deployment "tf-acc-chat", which destroys it first, with its database, but its deletion_protection is true.`)
	unprotected := resource.TestStep{ConfigDirectory: first.ConfigDirectory}
	unprotected.ConfigStateChecks = []statecheck.StateCheck{is(text("tf-acc-one"), "compute_id")}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{first, refused, unprotected}})
}
