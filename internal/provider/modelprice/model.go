package modelprice

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// model is the resource in configuration, plan and state.
type model struct {
	dataModel
	WorkspaceID types.String `tfsdk:"workspace_id"`
}

// dataModel is an entry as the service returns it.
type dataModel struct {
	ID                    types.String `tfsdk:"id"`
	Name                  types.String `tfsdk:"name"`
	MatchPattern          types.String `tfsdk:"match_pattern"`
	MatchPath             types.List   `tfsdk:"match_path"`
	ModelProvider         types.String `tfsdk:"model_provider"`
	StartTime             types.String `tfsdk:"start_time"`
	PromptTokenThreshold  types.Int64  `tfsdk:"prompt_token_threshold"`
	PromptCost            types.String `tfsdk:"prompt_cost"`
	CompletionCost        types.String `tfsdk:"completion_cost"`
	PromptCostDetails     types.Map    `tfsdk:"prompt_cost_details"`
	CompletionCostDetails types.Map    `tfsdk:"completion_cost_details"`
	CreatedAt             types.String `tfsdk:"created_at"`
}

// ResourceIdentity implements framework.Identified.
func (m model) ResourceIdentity() any {
	return framework.Identity{WorkspaceID: m.WorkspaceID, ID: m.ID}
}
