package modelprice

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// newModel converts the entry that the service returned, in the spelling of prior, a state or a plan, if that is
// equivalent. The workspace is prior's. No other value is unknown.
func newModel(prior model, answer api.ModelPrice) model {
	matchPath := framework.TextList(answer.MatchPath)
	if len(answer.MatchPath) == 0 {
		matchPath = defaultMatchPath
	}
	return model{WorkspaceID: prior.WorkspaceID, dataModel: dataModel{
		ID:                    types.StringValue(answer.ID),
		Name:                  types.StringValue(answer.Name),
		MatchPattern:          types.StringValue(answer.MatchPattern),
		MatchPath:             matchPath,
		ModelProvider:         textOrNull(answer.Provider),
		StartTime:             textOrNull(answer.StartTime),
		PromptTokenThreshold:  types.Int64PointerValue(answer.PromptTokenThreshold),
		PromptCost:            types.StringValue(string(answer.PromptCost)),
		CompletionCost:        types.StringValue(string(answer.CompletionCost)),
		PromptCostDetails:     newDetails(answer.PromptCostDetails),
		CompletionCostDetails: newDetails(answer.CompletionCostDetails),
		CreatedAt:             textOrNull(answer.CreatedAt),
	}}.spelledAs(prior)
}

// textOrNull returns null for an empty text.
func textOrNull(text *string) types.String {
	if text == nil {
		return types.StringNull()
	}
	return framework.StringOrNull(*text)
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
