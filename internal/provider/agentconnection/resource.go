package agentconnection

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type connectionResource struct{ framework.Resource }

var (
	_ resource.ResourceWithConfigure   = (*connectionResource)(nil)
	_ resource.ResourceWithIdentity    = (*connectionResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*connectionResource)(nil)
	_ resource.ResourceWithImportState = (*connectionResource)(nil)
)

// NewResource is the resource agentplane_agent_connection.
func NewResource() resource.Resource { return &connectionResource{} }

func (r *connectionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_agent_connection"
}

func (r *connectionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = connectionSchema()
}

// ModifyPlan implements resource.ResourceWithModifyPlan: it fills in the workspace.
func (r *connectionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var planned model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	filled := planned
	filled.WorkspaceID = r.PlannedWorkspace(planned.WorkspaceID)
	resp.Diagnostics.Append(framework.WriteChanged(ctx, resp.Plan.Schema, &resp.Plan.Raw, planned, filled)...)
}

func (r *connectionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := r.In(plan.WorkspaceID)
	created, err := c.CreateAgentConnection(ctx, plan.AgentID.ValueString(), plan.OAuthTokenID.ValueString())
	if err != nil {
		failure := failure("connect", plan.AgentID)
		failure.NextSteps[http.StatusNotFound] = "Check oauth_token_id: it must be a token of the user whose API key the provider has. The " +
			"data source agentplane_oauth_tokens lists them."
		failure.NextSteps[http.StatusConflict] = "The agent is connected to the token already. Import the connection as AGENT_ID/CONNECTION_ID; " +
			"the data source agentplane_agent_connections lists the connections of the agent."
		resp.Diagnostics.Append(failure.Diagnostics(err)...)
		return
	}
	answered := newModel(ctx, framework.StringOrNull(c.WorkspaceID()), *created)
	resp.Diagnostics.Append(stored.Write(ctx, framework.KeepPlanned(ctx, plan, answered))...)
}

func (r *connectionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.Client == nil { // Only plans see that: the last known state stands.
		resp.Diagnostics.Append(stored.Write(ctx, state)...)
		return
	}
	c := r.In(state.WorkspaceID)
	found, err := c.FindAgentConnection(ctx, state.AgentID.ValueString(), state.ID.ValueString())
	switch {
	case err != nil:
		resp.Diagnostics.Append(failure("read a connection of", state.AgentID).Diagnostics(err)...)
	case found == nil:
		resp.Diagnostics.AddWarning("Connection is gone", gone(state.AgentID, state.ID))
		resp.Diagnostics.Append(stored.Remove(ctx, state)...)
	default:
		resp.Diagnostics.Append(stored.Write(ctx, newModel(ctx, framework.StringOrNull(c.WorkspaceID()), *found))...)
	}
}

// Update stores what is planned: every argument replaces the connection, so there is nothing to send.
func (r *connectionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(stored.Write(ctx, framework.KeepPlanned(ctx, plan, state))...)
}

func (r *connectionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	err := r.In(state.WorkspaceID).DeleteAgentConnection(ctx, state.AgentID.ValueString(), state.ID.ValueString())
	if err != nil && !client.IsNotFound(err) {
		resp.Diagnostics.Append(failure("disconnect", state.AgentID).Diagnostics(err)...)
	}
}

// failure is how a failed verb on an agent is told.
func failure(verb string, agentID types.String) framework.Failure {
	return framework.Failure{Summary: fmt.Sprintf("Cannot %s agent %q", verb, agentID.ValueString()), NextSteps: map[int]string{}}
}

func gone(agentID, id types.String) string {
	return fmt.Sprintf("Connection %s of agent %q doesn't exist any more: it was removed, or its token was deleted. It is removed from the "+
		"state; the next apply makes it again, with another id, unless it is removed from the configuration, too.",
		id.ValueString(), agentID.ValueString())
}
