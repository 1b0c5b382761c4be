package agentconnection_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccAgentConnection_noProvider connects an agent to a token of an OAuth provider that doesn't exist: the plan warns, and the apply fails
// and stores nothing, unless the list of OAuth providers can't be read.
func TestAccAgentConnection_noProvider(t *testing.T) {
	t.Parallel()
	config := object{"agent_id": "helper", "provider_id": "unheard-of"}
	plane := calendar(t)
	driven := plane.Drive(t, "agentplane_agent_connection")
	planned, told := driven.Plan(config)
	contains(t, told, `No OAuth provider "unheard-of"`, "Correct provider_id")
	contains(t, driven.Apply(planned), `No OAuth provider "unheard-of"`, `Cannot connect agent "helper"`, "Correct provider_id")
	if driven.State.Exists() {
		t.Errorf("the state has %v", driven.State.Attributes())
	}
	plane.Arm(devserver.Fault{Match: "GET /v2/auth/providers", Status: 403, Times: 100})()
	d := follow(t, plane)
	d.apply(true, config)
	d.expect("without access to the list", "pending", "no token of OAuth provider")
}

// TestAccAgentConnection_plannedProvider plans a connection after the OAuth provider that it refers to, in the same instance: there is nothing
// to warn of.
func TestAccAgentConnection_plannedProvider(t *testing.T) {
	t.Parallel()
	rpc := calendar(t).RPC()
	plan := func(typeName string, config object) string {
		resp, err := rpc.Server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: typeName, Config: rpc.Value(config), ProposedNewState: rpc.Value(config), PriorState: &tfprotov6.DynamicValue{JSON: []byte("null")},
		})
		if err != nil {
			t.Fatal(err)
		}
		return providertest.Told(resp.Diagnostics)
	}
	connection := object{"agent_id": "helper", "provider_id": "new"}
	plan("agentplane_oauth_provider", object{
		"provider_id": "new", "name": "New", "client_id": "c", "auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	})
	if told := plan("agentplane_agent_connection", connection); strings.Contains(told, "No OAuth provider") {
		t.Errorf("told %s", told)
	}
	connection["provider_id"] = "other"
	contains(t, plan("agentplane_agent_connection", connection), `No OAuth provider "other"`)
}

// TestAccAgentConnection_replacedInVain plans to replace a connection by one to an OAuth provider that doesn't exist, or that can't be looked
// up: nothing must be destroyed for that.
func TestAccAgentConnection_replacedInVain(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	imported(plane)
	driven := plane.Drive(t, "agentplane_agent_connection")
	planned, _ := driven.Plan(byProvider)
	if told := driven.Apply(planned); told != "" || !driven.State.Exists() {
		t.Fatalf("told %s, want a connection", told)
	}
	_, told := driven.Plan(object{"agent_id": "helper", "provider_id": "unheard-of"})
	contains(t, told, "ERROR: Unknown OAuth provider", "would be destroyed", `No OAuth provider "unheard-of"`)
	plane.Arm(devserver.Fault{Match: "GET /v2/auth/providers", Status: 403, Times: 100})()
	_, told = driven.Plan(object{"agent_id": "helper", "provider_id": "mail"})
	contains(t, told, "Replacement can't be checked", "would be destroyed", "403")
}

// TestAccAgentProviderToken_noProvider plans a token of an OAuth provider that doesn't exist with a warning, and a replacement by one with an
// error, as long as the list can be read.
func TestAccAgentProviderToken_noProvider(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	unheardOf := tokenConfig(object{"provider_id": "unheard-of"})
	_, told := d.PlanOnly(unheardOf)
	contains(t, told, "WARNING: Unknown OAuth provider", `No OAuth provider "unheard-of"`, "Correct provider_id")
	d.Make(tokenConfig(nil))
	_, told = d.PlanOnly(unheardOf)
	contains(t, told, "ERROR: Unknown OAuth provider", "would be destroyed", `No OAuth provider "unheard-of"`)
}
