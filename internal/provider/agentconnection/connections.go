package agentconnection

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// connectionTo returns the connection of an agent to a token, and nil if there is none.
func connectionTo(ctx context.Context, c *client.Client, agentID, tokenID string) (*api.AgentConnectionResponse, error) {
	return client.Find(c.ListAgentConnections(ctx, agentID), func(found api.AgentConnectionResponse) bool { return client.SameID(found.OAuthTokenID, tokenID) })
}

// connectionsOf lists the connections of an agent, once for each plan.
func connectionsOf(ctx context.Context, provider *framework.ProviderData, c *client.Client, agentID string) ([]api.AgentConnectionResponse, error) {
	return framework.RememberList(provider, "connections of "+agentID, c, func() ([]api.AgentConnectionResponse, error) {
		return client.Collect(c.ListAgentConnections(ctx, agentID))
	})
}

// disconnect removes a token from an agent. A token of the agent itself is deleted with that.
func disconnect(ctx context.Context, provider *framework.ProviderData, id identityModel) diag.Diagnostics {
	err := provider.In(id.WorkspaceID).DeleteAgentConnection(ctx, id.AgentID.ValueString(), id.ID.ValueString())
	if err != nil && !client.IsNotFound(err) {
		return failure("disconnect", id.AgentID).Diagnostics(err)
	}
	return nil
}

// find returns nil without an error if the agent has no such connection.
func find(ctx context.Context, provider *framework.ProviderData, id identityModel) (*api.AgentConnectionResponse, diag.Diagnostics) {
	connections, err := connectionsOf(ctx, provider, provider.In(id.WorkspaceID), id.AgentID.ValueString())
	if err != nil {
		return nil, failure("read a connection of", id.AgentID).Diagnostics(err)
	}
	for _, connection := range connections {
		if client.SameID(connection.ID, id.ID.ValueString()) {
			return &connection, nil
		}
	}
	return nil, nil
}

// failure describes a failed operation on an agent.
func failure(verb string, agentID types.String) framework.Failure {
	return framework.Failure{Summary: fmt.Sprintf("Cannot %s agent %q", verb, agentID.ValueString()), NextSteps: map[int]string{}}
}

func label(agentID, id types.String) string {
	return fmt.Sprintf("%s of agent %q", id.ValueString(), agentID.ValueString())
}

// tokenFailure describes a failed operation on a token of an agent.
func tokenFailure(verb string, agentID types.String) framework.Failure {
	f := failure(verb+" token of", agentID)
	f.NextSteps[http.StatusNotFound] = "Check provider_id. The resource agentplane_oauth_provider registers an OAuth provider."
	f.NextSteps[http.StatusConflict] = "Another user has already given the agent a token of this OAuth " +
		"provider. That user or an administrator must remove it first."
	return f
}

// importID is the import ID of a connection.
func importID(agentID types.String, id string) string { return agentID.ValueString() + "/" + id }
