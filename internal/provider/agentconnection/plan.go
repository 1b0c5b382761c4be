package agentconnection

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// ModifyPlan implements resource.ResourceWithModifyPlan: it plans to connect the agent once a refresh has found a token, and to record
// another choice of the same token.
func (r *connectionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	proposed, state, diags := framework.ReadPlan[model](ctx, req.Plan, req.State)
	resp.Diagnostics.Append(diags...)
	var config model
	resp.Diagnostics.Append(framework.Read(ctx, req.Config.Schema, req.Config.Raw, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned := proposed
	planned.WorkspaceID = r.PlannedWorkspace(req.Config, planned.WorkspaceID)
	if !req.State.Raw.IsNull() {
		by, diags := loadChoice(ctx, req.Private)
		resp.Diagnostics.Append(diags...)
		changes := !config.choice().equal(by)
		switch isConnected := !state.ID.IsNull(); {
		case !isConnected && (changes || !state.OAuthTokenID.IsNull()):
			planned = planned.withUnknown(config)
		case isConnected && changes:
			planned.Status = types.StringUnknown()
		}
	}
	resp.Diagnostics.Append(framework.WriteChanged(ctx, resp.Plan.Schema, &resp.Plan.Raw, proposed, planned)...)
}
