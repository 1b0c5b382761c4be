package agentconnection_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccAgentConnectionList finds the connections of an agent, for terraform query.
func TestAccAgentConnectionList(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	var made struct{ ID string }
	plane.Call("POST", "/v2/auth/agents/helper/connections", object{"oauth_token_id": imported(plane)}, &made)
	rpc := plane.RPC()
	found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: "agentplane_agent_connection", IncludeResource: true, Limit: 10}, object{"agent_id": "helper"})
	rpc.OK(nil, diags)
	if len(found) != 1 || found[0].DisplayName != "helper at calendar" || found[0].Resource == nil {
		t.Fatalf("found %+v, want one, helper at calendar, with its resource", found)
	}
	want := map[string]string{"workspace_id": providertest.WorkspaceID, "agent_id": "helper", "id": made.ID}
	if diff := cmp.Diff(want, rpc.Identity(found[0].Identity, "workspace_id", "agent_id", "id", "provider_id", "provider_account_label")); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	if none, _ := rpc.Query(tfprotov6.ListResourceRequest{TypeName: "agentplane_agent_connection", Limit: 10}, object{"agent_id": "other"}); len(none) > 0 {
		t.Errorf("connections of another agent = %+v, want none", none)
	}
}
