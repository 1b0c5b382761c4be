package listener

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

const defaultDeleteTimeout = 30 * time.Minute

type listenerResource struct{ framework.Resource }

var (
	_ resource.ResourceWithConfigure   = (*listenerResource)(nil)
	_ resource.ResourceWithIdentity    = (*listenerResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*listenerResource)(nil)
	_ resource.ResourceWithImportState = (*listenerResource)(nil)
)

// NewResource is the resource agentplane_listener.
func NewResource() resource.Resource { return &listenerResource{} }

func (r *listenerResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_listener"
}

func (r *listenerResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = listenerSchema()
}

func (r *listenerResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	request, diags := plan.toCreate(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := r.In(plan.WorkspaceID)
	created, err := c.CreateListener(ctx, request)
	if err != nil {
		resp.Diagnostics.Append(r.notCreated(ctx, plan, err)...)
		return
	}
	r.Memo.Forget(framework.ListenersKey(c)) // Deployments of the same apply look the listener up there.
	resp.Diagnostics.Append(keep(ctx, stored, plan, *created)...)
}

func (r *listenerResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
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
	listener, err := r.In(state.WorkspaceID).FindListener(ctx, state.ID.ValueString())
	if client.IsNotFound(err) {
		resp.Diagnostics.AddWarning("Listener is gone",
			fmt.Sprintf("Listener %q (%s) doesn't exist any more. It is removed from the state; the next apply creates it again, "+
				"with another id, unless it is removed from the configuration, too.", state.ComputeID.ValueString(), state.ID.ValueString()))
		resp.Diagnostics.Append(stored.Remove(ctx, state)...)
		return
	}
	if err != nil {
		resp.Diagnostics.Append(state.failure("read").Diagnostics(err)...)
		return
	}
	refreshed, diags := newModel(ctx, state, *listener)
	resp.Diagnostics.Append(diags...)
	if refreshed.WorkspaceID.IsNull() {
		refreshed.WorkspaceID = framework.StringOrNull(r.Client.WorkspaceID())
	}
	framework.ReadListeners(r.Memo).Store(refreshed.place(), refreshed.ID.ValueString())
	resp.Diagnostics.Append(stored.Write(ctx, refreshed)...)
}

func (r *listenerResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	patch, changes, diags := plan.toPatch(ctx, state)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !changes {
		resp.Diagnostics.Append(stored.Write(ctx, framework.KeepPlanned(ctx, plan, state))...)
		return
	}
	w := r.writer(state.WorkspaceID)
	patched, err := w.patch(ctx, state.ID.ValueString(), patch)
	if err != nil {
		resp.Diagnostics.Append(plan.failure("update").Diagnostics(err)...)
		return
	}
	r.Memo.Forget(framework.ListenersKey(w.client))
	resp.Diagnostics.Append(keep(ctx, stored, plan, *patched)...)
}

func (r *listenerResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	limit, diags := state.Timeouts.Delete(ctx, defaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := r.writer(state.WorkspaceID).delete(ctx, limit, state.ID.ValueString()); err != nil {
		resp.Diagnostics.Append(state.notDeleted(err)...)
	}
}

func (r *listenerResource) writer(workspaceID types.String) writer {
	return writer{client: r.In(workspaceID), policy: poll.Policy{Clock: r.Clock}}
}

// keep stores what was planned, and for the rest what the service answered.
func keep(ctx context.Context, w framework.StateWriter, plan model, answer api.Listener) diag.Diagnostics {
	answered, diags := newModel(ctx, plan, answer)
	diags.Append(w.Write(ctx, framework.KeepPlanned(ctx, plan, answered))...)
	return diags
}
