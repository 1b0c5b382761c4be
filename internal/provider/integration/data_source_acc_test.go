package integration_test

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

// TestAccIntegrationDataSource looks up the same integration in both ways, and reads every attribute.
func TestAccIntegrationDataSource(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		install(plane, "another-org")
		var steps []resource.TestStep
		for variable, value := range map[string]string{"id": plane.IntegrationID, "name": seeded} {
			step := lookUp(config.Variables{variable: config.StringVariable(value)})
			for attribute, want := range map[string]knownvalue.Check{
				"id":              knownvalue.StringExact(plane.IntegrationID),
				"name":            knownvalue.StringExact(seeded),
				"installation_id": knownvalue.NotNull(),
			} {
				step.ConfigStateChecks = append(step.ConfigStateChecks,
					statecheck.ExpectKnownValue("data.agentplane_integration.test", tfjsonpath.New(attribute), want))
			}
			steps = append(steps, step)
		}
		providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
	})
}

// TestAccIntegrationsDataSource reads lists of several lengths: the service returns them without pages.
func TestAccIntegrationsDataSource(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		for _, total := range []int{0, 1, 100, 101, 250} {
			t.Run(fmt.Sprint(total), func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t, func(cfg *devserver.Config) {
					cfg.Keys[0].Workspaces = append(cfg.Keys[0].Workspaces, elsewhere)
				})
				if total == 0 {
					plane.Setenv("AGENTPLANE_WORKSPACE_ID", elsewhere)
				}
				var want []knownvalue.Check
				for i := range total {
					name, id := seeded, plane.IntegrationID
					if i > 0 {
						name = fmt.Sprintf("org-%03d", i)
						id = install(plane, name)
					}
					want = append(want, knownvalue.ObjectExact(map[string]knownvalue.Check{
						"id": knownvalue.StringExact(id), "name": knownvalue.StringExact(name), "installation_id": knownvalue.NotNull(),
					}))
				}
				providertest.Test(t, resource.TestCase{
					ProtoV6ProviderFactories: plane.Factories(),
					Steps: []resource.TestStep{{
						ConfigDirectory: config.StaticDirectory("testdata/all"),
						ConfigStateChecks: []statecheck.StateCheck{
							statecheck.ExpectKnownValue("data.agentplane_integrations.test", tfjsonpath.New("integrations"), knownvalue.ListExact(want)),
						},
					}},
				})
			})
		}
	})
}

func TestAccIntegrationsDataSource_failures(t *testing.T) {
	t.Parallel()
	for directory, variables := range map[string]config.Variables{
		"all": nil, "one": {"name": config.StringVariable(seeded)},
	} {
		t.Run(directory, func(t *testing.T) {
			t.Parallel()
			providertest.TestReadFailures(t, providertest.NewDev(t), "/v1/integrations/git_host/install", resource.TestStep{
				ConfigDirectory: config.StaticDirectory("testdata/" + directory), ConfigVariables: variables,
			})
		})
	}
}
