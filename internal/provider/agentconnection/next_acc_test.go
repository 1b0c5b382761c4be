package agentconnection_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// helping is the connection to the user's token of a provider, in a configuration.
const helping = `
resource "agentplane_agent_connection" "test" {
  agent_id    = "helper"
  provider_id = "calendar"
}
`

func identified(parts string) string {
	return helping + fmt.Sprintf("\nimport {\n  to       = agentplane_agent_connection.test\n  identity = { agent_id = \"helper\", %s }\n}\n", parts)
}

// TestAccAgentConnection_identity_next imports by identity before a login and after it, and keeps the identity through a logout and
// another login.
func TestAccAgentConnection_identity_next(t *testing.T) {
	t.Parallel()
	versions := providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_12_0))
	plane := calendar(t)
	identity := statecheck.ExpectIdentity(connection, map[string]knownvalue.Check{
		"workspace_id": knownvalue.StringExact(providertest.WorkspaceID), "agent_id": knownvalue.StringExact("helper"), "id": knownvalue.Null(),
		"provider_id": knownvalue.StringExact("calendar"), "provider_account_label": knownvalue.Null(),
	})
	next := func(before func(), does plancheck.ResourceActionType, status string) resource.TestStep {
		s := resource.TestStep{Config: helping, PreConfig: before, ConfigStateChecks: []statecheck.StateCheck{identity}}
		s.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{action(connection, does)}
		s.Check = resource.TestCheckResourceAttr(connection, "status", status)
		return s
	}
	login := func() { imported(plane) }
	logout := func() {
		logOut(plane)
		plane.Clock.Advance(providertest.Unseen)
	}
	wrong := func(parts, says string) resource.TestStep {
		return resource.TestStep{Config: identified(parts), ExpectError: providertest.Words(says)}
	}
	first := next(nil, plancheck.ResourceActionNoop, "pending")
	first.Config = identified(`provider_id = "calendar"`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), TerraformVersionChecks: versions,
		Steps: []resource.TestStep{
			wrong(`provider_id = "calendar", id = "3f2b8c1e-5a94-4d0e-9c63-7b1f0a2d4e58"`, "Exactly one of id and provider_id must be set"),
			wrong(`id = "nope"`, `id is "nope", which is not the ID of an object`),
			wrong(`provider_id = ""`, `provider_id is "", but it must be the provider_id of an OAuth provider`),
			first, next(login, plancheck.ResourceActionUpdate, "connected"), next(logout, plancheck.ResourceActionNoop, "pending"),
			next(login, plancheck.ResourceActionUpdate, "connected"),
		},
	})
}

// TestAccAgentConnection_identityByID_next imports the connection of a login by its ID, for a configuration with the provider, and is
// refused one that doesn't exist.
func TestAccAgentConnection_identityByID_next(t *testing.T) {
	t.Parallel()
	versions := providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_12_0))
	plane := calendar(t)
	var made struct{ ID string }
	plane.Call("POST", "/v2/auth/agents/helper/connections", object{"oauth_token_id": imported(plane)}, &made)
	gone := resource.TestStep{
		Config:      identified(`id = "3f2b8c1e-5a94-4d0e-9c63-7b1f0a2d4e58"`),
		ExpectError: providertest.Words("Cannot import non-existent remote object"),
	}
	taken := resource.TestStep{Config: identified(fmt.Sprintf("id = %q", made.ID)), Check: resource.TestCheckResourceAttr(connection, "id", made.ID)}
	logged := resource.TestStep{Config: helping, Check: resource.TestCheckResourceAttr(connection, "status", "pending"), PreConfig: func() {
		logOut(plane)
		plane.Clock.Advance(providertest.Unseen)
	}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), TerraformVersionChecks: versions,
		Steps: []resource.TestStep{gone, taken, logged},
	})
}

// TestAccAgentConnection_identityOnce tells a mistake once if an identity says neither which connection nor which provider.
func TestAccAgentConnection_identityOnce(t *testing.T) {
	t.Parallel()
	rpc := providertest.NewDev(t).RPC()
	for name, id := range map[string]any{"neither": nil, "both": "3f2b8c1e-5a94-4d0e-9c63-7b1f0a2d4e58"} {
		identity := object{"workspace_id": nil, "agent_id": "helper", "id": id, "provider_id": nil, "provider_account_label": nil}
		if id != nil {
			identity["provider_id"] = "calendar"
		}
		answer, err := rpc.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
			TypeName: "agentplane_agent_connection", Identity: &tfprotov6.ResourceIdentityData{IdentityData: rpc.Value(identity)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Diagnostics) != 1 || answer.Diagnostics[0].Detail != "Exactly one of id and provider_id must be set." {
			t.Errorf("%s: told %s, want one error", name, providertest.Told(answer.Diagnostics))
		}
	}
}
