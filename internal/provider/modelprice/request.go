package modelprice

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// toRequest is the whole entry, to create it or to replace it. Everything in m is known.
func (m model) toRequest() api.ModelPriceRequest {
	return api.ModelPriceRequest{
		Name:                  m.Name.ValueString(),
		MatchPattern:          m.MatchPattern.ValueString(),
		MatchPath:             framework.Texts[string](m.MatchPath),
		Provider:              m.ModelProvider.ValueStringPointer(),
		StartTime:             m.StartTime.ValueStringPointer(),
		PromptTokenThreshold:  m.PromptTokenThreshold.ValueInt64Pointer(),
		PromptCost:            api.DecimalNumber(m.PromptCost.ValueString()),
		CompletionCost:        api.DecimalNumber(m.CompletionCost.ValueString()),
		PromptCostDetails:     framework.TextsByKey[api.DecimalNumber](m.PromptCostDetails),
		CompletionCostDetails: framework.TextsByKey[api.DecimalNumber](m.CompletionCostDetails),
	}
}

// differs says whether an update from current to m has, or may have, something to change. Values may be unknown.
func (m model) differs(current model) bool {
	return !slices.EqualFunc(m.spelledAs(current).changeable(), current.changeable(), attr.Value.Equal)
}

func (m model) changeable() []attr.Value {
	return []attr.Value{
		m.Name, m.MatchPattern, m.MatchPath, m.ModelProvider, m.StartTime, m.PromptTokenThreshold, m.PromptCost, m.CompletionCost,
		m.PromptCostDetails, m.CompletionCostDetails,
	}
}
