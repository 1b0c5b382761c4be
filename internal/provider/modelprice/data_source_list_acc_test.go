package modelprice_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

func allPrices(workspace string, prices ...knownvalue.Check) resource.TestStep {
	return resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/all"), ConfigVariables: config.Variables{"workspace_id": text(workspace)},
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue("data.agentplane_model_prices.test",
			tfjsonpath.New("model_prices"), knownvalue.ListExact(prices))},
	}
}

// TestAccModelPricesDataSource_builtIn tells the entries that come with the service from those of the workspace.
func TestAccModelPricesDataSource_builtIn(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	body := `[{"id": "aaaaaaaa-1111-4000-8000-000000000000", "name": "gpt", "tenant_id": null, "match_pattern": "gpt", "match_path": [],
		"provider": null, "start_time": null, "prompt_cost": 0.000002, "completion_cost": "3e-6", "prompt_cost_details": {"audio": null},
		"completion_cost_details": null}]`
	s := allPrices(providertest.WorkspaceID)
	s.PreConfig = plane.Arm(devserver.Fault{Match: listing, Body: &body, Times: 2})
	s.ConfigStateChecks = []statecheck.StateCheck{
		statecheck.ExpectKnownValue("data.agentplane_model_prices.test", tfjsonpath.New("model_prices").AtSliceIndex(0),
			knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"built_in": knownvalue.Bool(true), "created_at": knownvalue.Null(), "prompt_cost": knownvalue.StringExact("0.000002"),
				"completion_cost": knownvalue.StringExact("3e-6"), "prompt_cost_details": knownvalue.Null(),
			})),
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{s}})
}

// TestAccModelPricesDataSource_defaults lists the default prices of a dev server after the workspace's entries, which can be managed beside
// them.
func TestAccModelPricesDataSource_defaults(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, func(cfg *devserver.Config) { cfg.NoDefaultPrices = false })
	s := allPrices(providertest.WorkspaceID)
	at := tfjsonpath.New("model_prices")
	s.ConfigStateChecks = nil
	for i, builtIn := range []bool{false, true} {
		s.ConfigStateChecks = append(s.ConfigStateChecks, statecheck.ExpectKnownValue("data.agentplane_model_prices.test",
			at.AtSliceIndex(i).AtMapKey("built_in"), knownvalue.Bool(builtIn)))
	}
	made(plane, nil)
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		s, step(args{"name": text("another")}), step(args{"name": text("yet another")}),
	}})
}
