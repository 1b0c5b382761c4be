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

// failure is an answer that leaves a list unread, and what the person is told.
type failure struct {
	fault devserver.Fault
	want  string
}

// failures hit one read each: what is worth repeating is repeated four times.
var failures = []failure{
	{devserver.Fault{Status: 401, Detail: "Invalid API key"}, `Invalid API key. Status: 401`},
	{devserver.Fault{Status: 401}, `Check api_key (AGENTPLANE_API_KEY)`},
	{devserver.Fault{Status: 403, Detail: "No access"}, `No access. Status: 403`},
	{devserver.Fault{Status: 403}, `Check that the API key may do this in this workspace, and workspace_id (AGENTPLANE_WORKSPACE_ID)`},
	{devserver.Fault{Status: 500, Detail: "boom", Times: 5}, `boom. Status: 500`},
	{devserver.Fault{Status: 404, HTML: "<title>Lost</title>"}, `GET /v2/listeners was answered by a web page ("Lost"), not by the control plane.`},
	{devserver.Fault{Status: 200, HTML: "<p>Sign in"}, `Check base_url (AGENTPLANE_BASE_URL)`},
}

func TestAccListenersDataSource_failures(t *testing.T) {
	t.Parallel()
	for directory, variables := range map[string]config.Variables{
		"all": nil, "one": {"compute_id": config.StringVariable(seeded)},
	} {
		t.Run(directory, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			var steps []resource.TestStep
			for _, test := range failures {
				test.fault.Match = "GET /v2/listeners"
				steps = append(steps, resource.TestStep{
					PreConfig:       plane.Arm(test.fault),
					ConfigDirectory: config.StaticDirectory("testdata/" + directory), ConfigVariables: variables,
					ExpectError: words(test.want),
				})
			}
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
		})
	}
}

// TestAccListenersDataSource reads lists that fit one page and lists that don't, in the order of the service.
func TestAccListenersDataSource(t *testing.T) {
	t.Parallel()
	const emptyWorkspace = "0d5a1c3e-2b7f-4f0a-9b1e-6c8d2e4f6a80"
	for total, wantQueries := range map[int][]string{
		0:   {"limit=100&offset=0"},
		1:   {"limit=100&offset=0"},
		100: {"limit=100&offset=0", "limit=100&offset=100"},
		101: {"limit=100&offset=0", "limit=100&offset=100"},
		250: {"limit=100&offset=0", "limit=100&offset=100", "limit=100&offset=200"},
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
