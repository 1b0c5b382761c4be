package modelprice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ModifyPlan implements resource.ResourceWithModifyPlan: it fills in the workspace, and plans no change for what is only
// written in another way.
func (r *modelPriceResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var planned model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned.WorkspaceID = r.PlannedWorkspace(planned.WorkspaceID)
	if !req.State.Raw.IsNull() && len(resp.RequiresReplace) == 0 {
		var state model
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		planned = planned.settled(state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &planned)...)
}

// settled is m as the plan of a change of state in place.
func (m model) settled(state model) model {
	settled := m.spelledAs(state)
	// Terraform lets a plan keep the spelling of the state, but null is null and an empty map is one.
	settled.PromptCostDetails = asConfigured(m.PromptCostDetails, settled.PromptCostDetails)
	settled.CompletionCostDetails = asConfigured(m.CompletionCostDetails, settled.CompletionCostDetails)
	// The framework has taken the other spelling for a change, of which what is null may come out otherwise.
	settled.ID, settled.CreatedAt = state.ID, state.CreatedAt
	if m.WorkspaceID.IsUnknown() {
		settled.WorkspaceID = state.WorkspaceID
	}
	return settled
}

func asConfigured(configured, settled types.Map) types.Map {
	if configured.IsNull() != settled.IsNull() {
		return configured
	}
	return settled
}
