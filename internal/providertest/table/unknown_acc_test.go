package table

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccTable_unknown sets each argument by a reference to another resource, whose values only the apply knows: the plan leaves them open.
// Values that turn out to be the same send nothing, unless the plan was to replace the object, and others are sent.
func TestAccTable_unknown(t *testing.T) {
	eachRow(t, func(s *subject) {
		address := s.typeName + ".test"
		var id, action string
		var sent int
		generation := func(n int, config object, same bool) resource.TestStep {
			step := resource.TestStep{Config: s.unknown(n, config)}
			for _, a := range s.arguments() {
				if config[a.Name] != nil && !a.WriteOnly {
					step.ConfigPlanChecks.PreApply = append(step.ConfigPlanChecks.PreApply, plancheck.ExpectUnknownValue(address, tfjsonpath.New(a.Name)))
				}
			}
			step.ConfigPlanChecks.PreApply = append(step.ConfigPlanChecks.PreApply, planned(func(all map[string]string) { action = all[address] }))
			step.PreConfig = func() { sent = s.sent(s.create) + s.sent(s.update) }
			step.Check = func(state *terraform.State) error {
				before := id
				id = state.RootModule().Resources[address].Primary.ID
				writes := s.sent(s.create) + s.sent(s.update) - sent
				if before != "" && (id != before) != (action == "[delete create]") {
					return fmt.Errorf("the ID was %s and is %s after %s", before, id, action)
				}
				if before != "" && (action == "[delete create]") != s.renewed {
					return fmt.Errorf("the plan is to %s", action)
				}
				if (writes > 0) != (!same || s.renewed) {
					return fmt.Errorf("%d writes were sent; the values are the same: %t", writes, same)
				}
				return nil
			}
			return step
		}
		config := s.with(s.whole)
		steps := []resource.TestStep{generation(1, config, false), generation(2, config, true)}
		if s.change != nil {
			maps.Copy(config, s.change)
			steps = append(steps, generation(3, config, false))
		}
		providertest.Test(s.t, resource.TestCase{
			ProtoV6ProviderFactories: s.Plane.Factories(), Steps: steps,
			TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)},
		})
	})
}

// unknown is a configuration in which each argument refers to another resource. A plan of another generation doesn't know its values.
func (s *subject) unknown(generation int, config object) string {
	values := maps.Clone(config)
	values["generation"] = generation
	var b strings.Builder
	b.WriteString(hcl(s.t, `resource "terraform_data" "values"`, object{"input": values}))
	fmt.Fprintf(&b, "resource %q %q {\n", s.typeName, "test")
	for _, name := range slices.Sorted(maps.Keys(config)) {
		fmt.Fprintf(&b, "  %s = terraform_data.values.output.%s\n", name, name)
	}
	return b.String() + "}\n"
}

// planned gets the actions of a plan, by address.
type planned func(actions map[string]string)

// CheckPlan implements plancheck.PlanCheck.
func (p planned) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, _ *plancheck.CheckPlanResponse) {
	actions := map[string]string{}
	for _, change := range req.Plan.ResourceChanges {
		actions[change.Address] = fmt.Sprint(change.Change.Actions)
	}
	p(actions)
}
