package modelprice

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type modelPriceResource struct{ framework.Resource }

var (
	_ resource.ResourceWithConfigure   = (*modelPriceResource)(nil)
	_ resource.ResourceWithIdentity    = (*modelPriceResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*modelPriceResource)(nil)
	_ resource.ResourceWithImportState = (*modelPriceResource)(nil)
)

// NewResource is the resource agentplane_model_price.
func NewResource() resource.Resource { return &modelPriceResource{} }

func (r *modelPriceResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_model_price"
}

func (r *modelPriceResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = modelPriceSchema()
}

func (r *modelPriceResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	request, diags := plan.toRequest(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	defer r.forget(plan.WorkspaceID)
	created, err := r.In(plan.WorkspaceID).CreateModelPrice(ctx, request)
	if err != nil {
		resp.Diagnostics.Append(r.notCreated(ctx, plan, request, err)...)
		return
	}
	resp.Diagnostics.Append(keep(ctx, stored, plan, *created)...)
}

func (r *modelPriceResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
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
	price, err := r.find(ctx, state.WorkspaceID, state.ID.ValueString())
	switch {
	case err != nil:
		resp.Diagnostics.Append(state.failure("read").Diagnostics(err)...)
	case price == nil:
		resp.Diagnostics.AddWarning("Model price is gone",
			fmt.Sprintf("Model price %s (%s) doesn't exist any more. It is removed from the state; the next apply creates it again, "+
				"with another id, unless it is removed from the configuration, too.", state.label(), state.ID.ValueString()))
		resp.Diagnostics.Append(stored.Remove(ctx, state)...)
	case price.TenantID == nil:
		resp.Diagnostics.Append(notOurs(*price)...)
	default:
		refreshed, diags := newModel(ctx, state, *price)
		resp.Diagnostics.Append(diags...)
		if refreshed.WorkspaceID.IsNull() {
			refreshed.WorkspaceID = framework.StringOrNull(r.Client.WorkspaceID())
		}
		resp.Diagnostics.Append(stored.Write(ctx, refreshed)...)
	}
}

func (r *modelPriceResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	request, diags := plan.toRequest(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.differs(state) {
		resp.Diagnostics.Append(stored.Write(ctx, framework.KeepPlanned(ctx, plan, state))...)
		return
	}
	defer r.forget(state.WorkspaceID)
	updated, err := r.In(state.WorkspaceID).UpdateModelPrice(ctx, state.ID.ValueString(), request)
	if err != nil {
		resp.Diagnostics.Append(plan.failure("update").Diagnostics(err)...)
		return
	}
	resp.Diagnostics.Append(keep(ctx, stored, plan, *updated)...)
}

func (r *modelPriceResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	defer r.forget(state.WorkspaceID)
	err := r.In(state.WorkspaceID).DeleteModelPrice(ctx, state.ID.ValueString())
	if err != nil && !client.IsNotFound(err) {
		resp.Diagnostics.Append(state.failure("delete").Diagnostics(err)...)
	}
}
