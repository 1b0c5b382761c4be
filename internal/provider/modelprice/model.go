package modelprice

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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

// toRequest is the whole entry, to create it or to replace it. Everything in m is known.
func (m model) toRequest() api.ModelPriceRequest {
	request := framework.Expand[api.ModelPriceRequest](m)
	request.Provider = m.ModelProvider.ValueStringPointer()
	return request
}

// key returns the attributes whose combination is unique in a workspace.
func (m model) key() (name, workspaceID types.String, others []attr.Value) {
	others = append([]attr.Value{m.MatchPattern, m.MatchPath, m.ModelProvider, m.StartTime, m.PromptTokenThreshold}, m.MatchPath.Elements()...)
	return m.Name, m.WorkspaceID, others
}

// differs reports whether an update from current to m has, or may have, something to change. Values may be unknown.
func (m model) differs(current model) bool {
	changed := m.spelledAs(current).dataModel
	changed.ID, changed.CreatedAt = current.ID, current.CreatedAt // The service sets them.
	return !framework.EqualModels(changed, current.dataModel)
}

// newModel converts the entry that the service returned, in the spelling of prior, a state or a plan, if that is
// equivalent. The workspace is prior's. No other value is unknown.
func newModel(prior model, answer api.ModelPrice) model {
	m := framework.Flatten(model{WorkspaceID: prior.WorkspaceID}, answer)
	if len(answer.MatchPath) == 0 {
		m.MatchPath = defaultMatchPath
	}
	m.ModelProvider, m.StartTime = framework.StringOrNull(api.OrEmpty(answer.Provider)), framework.StringOrNull(api.OrEmpty(answer.StartTime))
	m.CreatedAt = framework.StringOrNull(api.OrEmpty(answer.CreatedAt))
	m.PromptCost, m.CompletionCost = types.StringValue(string(answer.PromptCost)), types.StringValue(string(answer.CompletionCost))
	m.PromptCostDetails, m.CompletionCostDetails = newDetails(answer.PromptCostDetails), newDetails(answer.CompletionCostDetails)
	return m.spelledAs(prior)
}

// newDetails is null if there are none. The service may list a kind of token without a price.
func newDetails(prices map[string]api.DecimalNumber) types.Map {
	elements := map[string]attr.Value{}
	for kind, price := range prices {
		if price != "" {
			elements[kind] = types.StringValue(string(price))
		}
	}
	if len(elements) == 0 {
		return types.MapNull(types.StringType)
	}
	return types.MapValueMust(types.StringType, elements)
}
