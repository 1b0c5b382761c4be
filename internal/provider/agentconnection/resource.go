package agentconnection

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type connectionResource struct{ framework.IdentifiedResource }

var (
	_ resource.ResourceWithConfigure   = (*connectionResource)(nil)
	_ resource.ResourceWithIdentity    = (*connectionResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*connectionResource)(nil)
	_ resource.ResourceWithImportState = (*connectionResource)(nil)
)

// NewResource is the resource agentplane_agent_connection.
func NewResource() resource.Resource {
	return &connectionResource{framework.IdentifiedResource{
		Resource: framework.Resource{Name: "agent_connection", NewSchema: connectionSchema}, Importer: connectionImporter{},
	}}
}

func (r *connectionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	by := config.choice()
	made, existed, diags := r.connect(ctx, plan, by)
	resp.Diagnostics.Append(diags...)
	if made == nil {
		return
	}
	stored := stateWriter{framework.StateWriter{State: &resp.State, Identity: resp.Identity}, by}
	resp.Diagnostics.Append(stored.write(ctx, framework.KeepPlanned(ctx, plan, *made))...)
	resp.Diagnostics.Append(by.save(ctx, resp.Private)...)
	if made.ID.IsNull() {
		return
	}
	resp.Diagnostics.Append(r.confirm(ctx, *made, resp.Private)...)
	if existed {
		resp.Diagnostics.AddAttributeWarning(path.Root("provider_id"), fmt.Sprintf("Agent %q was already connected", plan.AgentID.ValueString()),
			fmt.Sprintf("Connection %s to the token of %s existed before, for example because a login has made it, and is now managed here. "+
				"If another resource manages it as well, remove one of the two.", made.ID.ValueString(), by))
	}
}

func (r *connectionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(framework.Read(ctx, req.State.Schema, req.State.Raw, &state)...)
	by, diags := loadChoice(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	stored := stateWriter{framework.StateWriter{State: &resp.State, Identity: resp.Identity}, by}
	if r.Client == nil { // Happens only in plans, which keep the last known state.
		resp.Diagnostics.Append(stored.write(ctx, state)...)
		return
	}
	refreshed, presence, diags := r.look(ctx, req.Private, state, by)
	resp.Diagnostics.Append(diags...)
	switch {
	case diags.HasError():
	case presence == framework.NotShown:
		resp.Diagnostics.Append(stored.write(ctx, state)...)
	case presence == framework.Gone:
		resp.Diagnostics.Append(stored.Remove(ctx, state)...)
	default:
		resp.Diagnostics.Append(framework.MarkSeen(ctx, req.Private, resp.Private)...)
		resp.Diagnostics.Append(stored.write(ctx, refreshed)...)
	}
}

func (r *connectionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state, config model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	by, made := config.choice(), &state // Every change of what exists replaces it, except for another choice of the same token.
	if state.ID.IsNull() {
		var diags diag.Diagnostics
		made, _, diags = r.connect(ctx, plan, by)
		resp.Diagnostics.Append(diags...)
	} else {
		made.Status = types.StringValue(connected)
	}
	if made == nil {
		return
	}
	stored := stateWriter{framework.StateWriter{State: &resp.State, Identity: resp.Identity}, by}
	resp.Diagnostics.Append(stored.write(ctx, framework.KeepPlanned(ctx, plan, *made))...)
	resp.Diagnostics.Append(by.save(ctx, resp.Private)...)
	if state.ID.IsNull() && !made.ID.IsNull() {
		resp.Diagnostics.Append(r.confirm(ctx, *made, resp.Private)...)
	}
}

// confirm looks for a connection that has just been made. Only the list of an agent's connections shows one.
func (r *connectionResource) confirm(ctx context.Context, made model, private framework.PrivateWriter) diag.Diagnostics {
	return r.AwaitShown(ctx, private, func(ctx context.Context) error {
		_, err := r.In(made.WorkspaceID).FindAgentConnection(ctx, made.AgentID.ValueString(), made.ID.ValueString())
		return err
	})
}

func (r *connectionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || state.ID.IsNull() {
		return
	}
	here := r.connecting(r.In(state.WorkspaceID), state.AgentID.ValueString())
	here.Lock()
	defer here.Unlock()
	if !here.found[state.ID.ValueString()] {
		resp.Diagnostics.Append(disconnect(ctx, &r.ProviderData, identityModel{state.WorkspaceID, state.AgentID, state.ID})...)
	}
}

// stateWriter stores what is known about a connection. An identity is written once: it may have been read with the ID, for an import,
// before the configuration was known.
type stateWriter struct {
	framework.StateWriter
	by choice
}

func (w stateWriter) write(ctx context.Context, m model) diag.Diagnostics {
	diags := w.State.Set(ctx, m)
	if w.Identity != nil && w.Identity.Raw.IsFullyNull() {
		diags.Append(w.Identity.Set(ctx, m.identity(w.by))...)
	}
	return diags
}

// Remove removes a connection from the state. The framework requires an identity even then.
func (w stateWriter) Remove(ctx context.Context, m model) diag.Diagnostics {
	diags := w.write(ctx, m)
	w.State.RemoveResource(ctx)
	return diags
}

// connectFailure describes a failed creation of a connection.
func (r *connectionResource) connectFailure(ctx context.Context, c *client.Client, plan model, by choice, tokenID string) framework.Failure {
	failure := failure("connect", plan.AgentID)
	failure.NextSteps[http.StatusNotFound] = "Check oauth_token_id: it must be a token of the user of the provider's " +
		"API key. The data source agentplane_oauth_tokens lists them."
	if by.made() {
		failure.NextSteps[http.StatusNotFound] = "The user's token was deleted meanwhile. Plan again."
	}
	failure.NextSteps[http.StatusConflict] = taken(ctx, &r.ProviderData, c, plan, tokenID)
	return failure
}

// taken returns the remedies if the agent is already connected to the token. If the list fails, they don't name the connection.
func taken(ctx context.Context, provider *framework.ProviderData, c *client.Client, plan model, tokenID string) string {
	agentID := plan.AgentID.ValueString()
	if connection, err := connectionTo(ctx, c, agentID, tokenID); err == nil && connection != nil {
		return fmt.Sprintf("Connection %s has that token.\n\n%s", connection.ID,
			provider.Taken(plan.WorkspaceID, agentID+"/"+connection.ID, "connection", "oauth_token_id"))
	}
	return "The agent is already connected to the token. Import the connection as AGENT_ID/CONNECTION_ID; the data source " +
		"agentplane_agent_connections lists the connections of the agent."
}

// connectionTo returns the connection of an agent to a token, and nil if there is none.
func connectionTo(ctx context.Context, c *client.Client, agentID, tokenID string) (*api.AgentConnectionResponse, error) {
	for connection, err := range c.ListAgentConnections(ctx, agentID) {
		if err != nil {
			return nil, err
		}
		if client.SameID(connection.OAuthTokenID, tokenID) {
			return &connection, nil
		}
	}
	return nil, nil
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

// failure describes a failed operation on an agent.
func failure(verb string, agentID types.String) framework.Failure {
	return framework.Failure{Summary: fmt.Sprintf("Cannot %s agent %q", verb, agentID.ValueString()), NextSteps: map[int]string{}}
}

func label(agentID, id types.String) string {
	return fmt.Sprintf("%s of agent %q", id.ValueString(), agentID.ValueString())
}
