package modelprice

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// toRequest is the whole entry, to create it or to replace it. Everything in m is known.
func (m model) toRequest(ctx context.Context) (api.ModelPriceRequest, diag.Diagnostics) {
	request := api.ModelPriceRequest{
		Name:                 m.Name.ValueString(),
		MatchPattern:         m.MatchPattern.ValueString(),
		Provider:             m.ModelProvider.ValueStringPointer(),
		StartTime:            m.StartTime.ValueStringPointer(),
		PromptTokenThreshold: m.PromptTokenThreshold.ValueInt64Pointer(),
		PromptCost:           api.DecimalNumber(m.PromptCost.ValueString()),
		CompletionCost:       api.DecimalNumber(m.CompletionCost.ValueString()),
	}
	diags := m.MatchPath.ElementsAs(ctx, &request.MatchPath, false)
	diags.Append(m.PromptCostDetails.ElementsAs(ctx, &request.PromptCostDetails, false)...)
	diags.Append(m.CompletionCostDetails.ElementsAs(ctx, &request.CompletionCostDetails, false)...)
	return request, diags
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
