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
	planned.WorkspaceID = provider.PlannedWorkspace(planning.Config, planned.WorkspaceID)
	if planning.State != nil {
		planned = planned.updated(*planning.State)
	}
	return planned, nil
}

// updated returns m as the plan of an in-place change of state.
func (m model) updated(state model) model {
	updated := m.spelledAs(state)
	// Terraform lets a plan keep the spelling of the state, but null is null and an empty map is one.
	updated.PromptCostDetails = asConfigured(m.PromptCostDetails, updated.PromptCostDetails)
	updated.CompletionCostDetails = asConfigured(m.CompletionCostDetails, updated.CompletionCostDetails)
	// The framework has treated the other spelling as a change, and made null computed values unknown.
	updated.ID, updated.CreatedAt = state.ID, state.CreatedAt
	return updated
}

func asConfigured(configured, updated types.Map) types.Map {
	if configured.IsNull() != updated.IsNull() {
		return configured
	}
	return updated
}
