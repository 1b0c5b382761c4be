package table

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccTable_life creates, changes, repairs, replaces and destroys an object, with and without a CLI.
func TestAccTable_life(t *testing.T) {
	t.Parallel()
	for typeName, r := range table {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			r.skipOmitted(t)
			both(t, func(plane *providertest.Plane) resource.TestCase { return subjectOn(t, plane, typeName).life() })
		})
	}
}

// TestAccLife_unknown changes a deployment whose arguments are unknown in the plan, which the service first refuses, and replaces it when it is
// tainted.
func TestAccLife_unknown(t *testing.T) {
	t.Parallel()
	both(t, func(plane *providertest.Plane) resource.TestCase {
		s := subjectOn(t, plane, "agentplane_deployment")
		address, changed := s.typeName+".test", s.unknown(2, s.with(s.change))
		step := func(does plancheck.ResourceActionType) resource.TestStep {
			next := resource.TestStep{Config: changed}
			next.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, does)}
			return next
		}
		refused, replaced := step(plancheck.ResourceActionUpdate), step(plancheck.ResourceActionReplace)
		refused.PreConfig = plane.Arm(devserver.Fault{Match: s.update, Status: 400, Detail: "Not today"})
		refused.ExpectError = providertest.Words("Cannot update deployment")
		replaced.Taint = []string{address}
		return resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
			{Config: s.unknown(1, s.config)}, refused, step(plancheck.ResourceActionUpdate), replaced,
		}}
	})
}

// filled puts attributes into a pattern.
func filled(pattern string, attributes map[string]string) string {
	return placeholder.ReplaceAllStringFunc(pattern, func(name string) string { return attributes[strings.Trim(name, "{}")] })
}

func (s *subject) life() resource.TestCase {
	address := s.typeName + ".test"
	step := func(config object, does plancheck.ResourceActionType) resource.TestStep {
		next := resource.TestStep{Config: s.block(config)}
		next.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, does)}
		return next
	}
	var attributes map[string]string
	created := step(s.config, plancheck.ResourceActionCreate)
	created.Check = func(state *terraform.State) error {
		attributes = maps.Clone(state.RootModule().Resources[address].Primary.Attributes)
		return nil
	}
	steps, last := []resource.TestStep{created}, s.config
	if s.change != nil {
		last = s.with(s.change)
		steps = append(steps, step(last, plancheck.ResourceActionUpdate))
	}
	if s.remove != "" {
		repaired := step(last, plancheck.ResourceActionCreate)
		repaired.PreConfig = func() {
			method, path, _ := strings.Cut(filled(s.remove+s.removes, attributes), " ")
			s.Plane.Call(method, path, nil, nil)
			s.Plane.Clock.Advance(providertest.Unseen)
		}
		steps = append(steps, repaired)
	}
	if !s.refers {
		last = s.with(object{s.key: "other"})
		does := plancheck.ResourceActionReplace
		if !replaces(s.argument(s.key).Description) {
			does = plancheck.ResourceActionUpdate
		}
		steps = append(steps, step(last, does))
	}
	destroyed := step(last, plancheck.ResourceActionDestroy)
	destroyed.Destroy = true
	return resource.TestCase{ProtoV6ProviderFactories: s.Plane.Factories(), Steps: append(steps, destroyed)}
}
