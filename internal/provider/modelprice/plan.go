package modelprice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// plan fills in the workspace, and plans no change if only the spelling of a value differs.
func plan(_ context.Context, provider *framework.ProviderData, planning framework.Planning[model]) (model, diag.Diagnostics) {
	planned := planning.Plan
	planned.WorkspaceID = provider.PlannedWorkspace(planned.WorkspaceID)
	if planning.State != nil && !planning.Replaces {
		planned = planned.settled(*planning.State)
	}
	return planned, nil
}

// settled returns m as the plan of an in-place change of state.
func (m model) settled(state model) model {
	settled := m.spelledAs(state)
	// Terraform lets a plan keep the spelling of the state, but null is null and an empty map is one.
	settled.PromptCostDetails = asConfigured(m.PromptCostDetails, settled.PromptCostDetails)
	settled.CompletionCostDetails = asConfigured(m.CompletionCostDetails, settled.CompletionCostDetails)
	// The framework has treated the other spelling as a change, and made null computed values unknown.
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
