package agentconnection_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	tokenType   = "agentplane_agent_provider_token"
	listing     = "GET /v2/auth/agents/{agent_id}/connections"
	usersTokens = "GET /v2/auth/tokens"
)

// withUsers gives an agent a token of its own, and one of the user.
func withUsers(t *testing.T) (plane *providertest.Plane, own, users string) {
	t.Helper()
	plane = calendar(t)
	var made object
	plane.Call("POST", "/v2/auth/agents/helper/connections", object{"oauth_token_id": imported(plane)}, &made)
	return plane, byHand(plane, "calendar", nil), fmt.Sprint(made["id"])
}

// TestAccAgentProviderTokenList finds the tokens of an agent, without those of users.
func TestAccAgentProviderTokenList(t *testing.T) {
	t.Parallel()
	plane, own, _ := withUsers(t)
	rpc := plane.RPC()
	found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: tokenType, IncludeResource: true, Limit: 10}, object{"agent_id": "helper"})
	rpc.OK(nil, diags)
	if len(found) != 1 || found[0].DisplayName != "helper at calendar" || found[0].Resource == nil {
		t.Fatalf("found %+v, want one, helper at calendar, with its resource", found)
	}
	want := map[string]string{"workspace_id": providertest.WorkspaceID, "agent_id": "helper", "id": own}
	if diff := cmp.Diff(want, rpc.Identity(found[0].Identity, "workspace_id", "agent_id", "id")); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	for _, match := range []string{listing, usersTokens} {
		plane.Arm(devserver.Fault{Match: match, Status: 403, Detail: "Not yours"})()
		_, diags = rpc.Query(tfprotov6.ListResourceRequest{TypeName: tokenType, Limit: 10}, object{"agent_id": "helper"})
		contains(t, providertest.Told(diags), `Cannot list the token of agent "helper"`, "Not yours. Status: 403")
	}
}

// TestAccAgentProviderToken_usersIdentity_next imports the agent's own token by its identity, and not the user's.
func TestAccAgentProviderToken_usersIdentity_next(t *testing.T) {
	t.Parallel()
	plane, own, users := withUsers(t)
	invalid := step("identity", config.Variables{"id": text("no-uuid")})
	invalid.ExpectError = providertest.Words(`id is "no-uuid", which is not the ID of an object`)
	refused, adopted := step("identity", config.Variables{"id": text(users)}), step("identity", config.Variables{"id": text(own)})
	refused.ExpectError = providertest.Words("Not a token of the agent")
	adopted.Check = tokens(plane, 2)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{invalid, refused, adopted},
		TerraformVersionChecks: providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_12_0)),
	})
}
