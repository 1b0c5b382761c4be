package agentconnection

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewResource is the resource agentplane_agent_connection.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[model]{
		Name: "agent_connection", Schema: connectionSchema, Importer: importer{}, Noun: "connection",
		Label: func(m model) string { return label(m.AgentID, m.ID) },
		Plan:  plan, Create: create, Read: read, Update: update, Delete: remove,
	})
}

// plan fills in the workspace.
func plan(_ context.Context, provider *framework.ProviderData, planning framework.Planning[model]) (model, diag.Diagnostics) {
	planned := planning.Plan
	planned.WorkspaceID = provider.PlannedWorkspace(planning.Config, planned.WorkspaceID)
	return planned, nil
}

func create(ctx context.Context, provider *framework.ProviderData, plan, _ model) (*model, diag.Diagnostics) {
	c := provider.In(plan.WorkspaceID)
	created, err := c.CreateAgentConnection(ctx, plan.AgentID.ValueString(), plan.OAuthTokenID.ValueString())
	if err != nil {
		failure := failure("connect", plan.AgentID)
		failure.NextSteps[http.StatusNotFound] = "Check oauth_token_id: it must be a token of the user of the provider's " +
			"API key. The data source agentplane_oauth_tokens lists them."
		failure.NextSteps[http.StatusConflict] = taken(ctx, provider, c, plan)
		return nil, failure.Diagnostics(err)
	}
	answered := newModel(ctx, framework.StringOrNull(c.WorkspaceID()), *created)
	return &answered, nil
}

// taken returns the remedies if the agent is already connected to the token. If the list fails, they don't name the connection.
func taken(ctx context.Context, provider *framework.ProviderData, c *client.Client, plan model) string {
	agentID := plan.AgentID.ValueString()
	for connection, err := range c.ListAgentConnections(ctx, agentID) {
		if err == nil && client.SameID(connection.OAuthTokenID, plan.OAuthTokenID.ValueString()) {
			return fmt.Sprintf("Connection %s has that token.\n\n%s", connection.ID,
				provider.Taken(plan.WorkspaceID, agentID+"/"+connection.ID, "connection", "oauth_token_id"))
		}
	}
	return "The agent is already connected to the token. Import the connection as AGENT_ID/CONNECTION_ID; the data source " +
		"agentplane_agent_connections lists the connections of the agent."
}

func read(ctx context.Context, provider *framework.ProviderData, state model) (*model, diag.Diagnostics) {
	found, workspaceID, diags := find(ctx, provider, state.identity())
	if found == nil {
		return nil, diags
	}
	refreshed := newModel(ctx, workspaceID, *found)
	return &refreshed, diags
}

// update sends nothing: every argument replaces the connection.
func update(_ context.Context, _ *framework.ProviderData, _, state, _ model) (*model, diag.Diagnostics) {
	return &state, nil
}

func remove(ctx context.Context, provider *framework.ProviderData, state model) diag.Diagnostics {
	return disconnect(ctx, provider, state.identity())
}

// find returns nil without an error if the agent has no such connection.
func find(
	ctx context.Context, provider *framework.ProviderData, id identityModel,
) (found *api.AgentConnectionResponse, workspaceID types.String, diags diag.Diagnostics) {
	c, agentID := provider.In(id.WorkspaceID), id.AgentID.ValueString()
	connections, err := connectionsOf(ctx, provider, c, agentID)
	if err != nil {
		diags = failure("read a connection of", id.AgentID).Diagnostics(err)
	}
	for _, connection := range connections {
		if client.SameID(connection.ID, id.ID.ValueString()) {
			found = &connection
		}
	}
	return found, framework.StringOrNull(c.WorkspaceID()), diags
}

// connectionsOf lists the connections of an agent, once for each plan.
func connectionsOf(ctx context.Context, provider *framework.ProviderData, c *client.Client, agentID string) ([]api.AgentConnectionResponse, error) {
	return framework.Remember(provider.Memo, provider.AnswersKey("connections of "+agentID, c), func() ([]api.AgentConnectionResponse, error) {
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

// failure describes a failed operation on an agent.
func failure(verb string, agentID types.String) framework.Failure {
	return framework.Failure{Summary: fmt.Sprintf("Cannot %s agent %q", verb, agentID.ValueString()), NextSteps: map[int]string{}}
}

func label(agentID, id types.String) string {
	return fmt.Sprintf("%s of agent %q", id.ValueString(), agentID.ValueString())
}
