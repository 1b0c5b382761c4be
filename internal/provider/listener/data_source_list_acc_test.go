package listener_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccListenersDataSource reads lists of one page and of several, in the order of the service.
func TestAccListenersDataSource(t *testing.T) {
	t.Parallel()
	const emptyWorkspace = "0d5a1c3e-2b7f-4f0a-9b1e-6c8d2e4f6a80"
	for total, wantQueries := range map[int][]string{
		0:   {"limit=100&offset=0"},
		1:   {"limit=100&offset=0"},
		100: {"limit=100&offset=0", "limit=100&offset=99"},
		101: {"limit=100&offset=0", "limit=100&offset=99"},
		250: {"limit=100&offset=0", "limit=100&offset=198", "limit=100&offset=99"},
	} {
		t.Run(fmt.Sprint(total), func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, func(cfg *devserver.Config) {
				cfg.Keys[0].Workspaces = append(cfg.Keys[0].Workspaces, emptyWorkspace)
			})
			if total == 0 {
				plane.Setenv("AGENTPLANE_WORKSPACE_ID", emptyWorkspace)
			}
			var want []knownvalue.Check
			for i := range total {
				computeID := seeded
				if i > 0 {
					computeID = fmt.Sprintf("cluster-%03d", i)
					register(plane, computeID, "agents")
				}
				want = append(want, knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"compute_id": knownvalue.StringExact(computeID), "compute_type": knownvalue.StringExact("k8s"),
				}))
			}
			providertest.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: plane.Factories(),
				Steps: []resource.TestStep{{
					ConfigDirectory: config.StaticDirectory("testdata/all"),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue("data.agentplane_listeners.test", tfjsonpath.New("listeners"), knownvalue.ListExact(want)),
					},
					Check: expectQueries(plane, wantQueries),
				}},
			})
		})
	}
}
