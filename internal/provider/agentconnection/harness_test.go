package agentconnection_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

type object = map[string]any

const (
	connection = "agentplane_agent_connection.test"
	token      = "agentplane_agent_provider_token.test"
)

// calendar starts a plane with two OAuth providers.
func calendar(t *testing.T) *providertest.Plane {
	t.Helper()
	plane := providertest.NewDev(t)
	provide(plane)
	return plane
}

func provide(plane *providertest.Plane) {
	for _, id := range []string{"calendar", "mail"} {
		plane.Call("POST", "/v2/auth/providers", object{
			"provider_id": id, "name": id, "client_id": "c", "auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
		}, nil)
	}
}

// imported imports a token of the user.
func imported(plane *providertest.Plane) string {
	var made struct {
		TokenID string `json:"token_id"`
	}
	plane.Call("POST", "/v2/auth/tokens/import", object{"provider_id": "calendar", "access_token": "canary-access-token", "scopes": []string{"read"}}, &made)
	return made.TokenID
}

func step(directory string, variables config.Variables, checks ...plancheck.PlanCheck) resource.TestStep {
	s := resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/" + directory), ConfigVariables: config.Variables{}}
	maps.Copy(s.ConfigVariables, variables)
	s.ConfigPlanChecks.PreApply = checks
	return s
}

func action(address string, does plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(address, does)
}

func text(value string) config.Variable { return config.StringVariable(value) }

func run(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), Steps: steps,
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)},
	})
}

// connections returns an agent's connections.
func connections(plane *providertest.Plane, agent string) []object {
	var list struct{ Data []object }
	plane.Call("GET", "/v2/auth/agents/"+agent+"/connections", nil, &list)
	return list.Data
}

func checkNoneLeft(plane *providertest.Plane) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for _, agent := range []string{"helper", "helper%2F1", "other"} {
			if left := connections(plane, agent); len(left) > 0 {
				return fmt.Errorf("connections of agent %s = %v, want none left", agent, left)
			}
		}
		return nil
	}
}
