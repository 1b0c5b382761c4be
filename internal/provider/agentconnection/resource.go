package agentconnection

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
	made, existed, diags := connect(ctx, &r.ProviderData, plan, by)
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
	refreshed, presence, diags := refresh(ctx, &r.ProviderData, req.Private, state, by)
	resp.Diagnostics.Append(diags...)
	switch {
	case diags.HasError():
	case presence == framework.NotShown:
		resp.Diagnostics.Append(stored.write(ctx, state)...)
	case presence == framework.Gone:
		resp.Diagnostics.Append(stored.Remove(ctx, state, resp.Private)...)
	default:
		resp.Diagnostics.Append(framework.MarkSeen(ctx, resp.Private)...)
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
		made, _, diags = connect(ctx, &r.ProviderData, plan, by)
		resp.Diagnostics.Append(diags...)
	} else {
		state = state.chosen(by)
		state.Status = types.StringValue(connected)
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
	object := fmt.Sprintf("Connection %s of agent %q", made.ID.ValueString(), made.AgentID.ValueString())
	return r.AwaitShown(ctx, private, object, func(ctx context.Context) error {
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
	here := connectingTo(&r.ProviderData, r.In(state.WorkspaceID), state.AgentID.ValueString())
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
func (w stateWriter) Remove(ctx context.Context, m model, private framework.PrivateWriter) diag.Diagnostics {
	diags := w.write(ctx, m)
	return append(diags, framework.Leave(ctx, w.State, private)...)
}
