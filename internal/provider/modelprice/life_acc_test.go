package modelprice_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccModelPrice_life creates, imports, updates, repairs, replaces and destroys a price, with a CLI and without.
func TestAccModelPrice_life(t *testing.T) {
	t.Parallel()
	providertest.Both(t, func(plane *providertest.Plane) resource.TestCase {
		imported := step(nil)
		imported.ResourceName, imported.ImportState, imported.ImportStateVerify = address, true, true
		drifted := planned(step(whole), action(plancheck.ResourceActionUpdate))
		drifted.PreConfig = func() {
			plane.Call("PUT", collection+"/"+listed(plane)[0].ID, map[string]any{
				"name": "Mine", "match_pattern": ".*", "match_path": []string{"model"}, "prompt_cost": 1, "completion_cost": 2,
			}, nil)
		}
		replaced := step(args{"workspace_id": text(otherWorkspace)})
		destroyed := planned(replaced, action(plancheck.ResourceActionDestroy))
		destroyed.Destroy = true
		return resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
			planned(step(nil), action(plancheck.ResourceActionCreate)), imported,
			planned(step(whole), action(plancheck.ResourceActionUpdate)), drifted,
			planned(replaced, action(plancheck.ResourceActionReplace)), destroyed,
		}}
	}, twoWorkspaces)
}
