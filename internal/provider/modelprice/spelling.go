package modelprice

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// spelledAs is m with current's spelling of every equivalent value: the service normalizes prices and times, and users
// rewrite 1e-6 as 0.000001.
func (m model) spelledAs(current model) model {
	m.StartTime = spelled(current.StartTime, m.StartTime, timestamp.IsSame)
	m.PromptCost = spelled(current.PromptCost, m.PromptCost, isSamePrice)
	m.CompletionCost = spelled(current.CompletionCost, m.CompletionCost, isSamePrice)
	m.PromptCostDetails = spelledDetails(current.PromptCostDetails, m.PromptCostDetails)
	m.CompletionCostDetails = spelledDetails(current.CompletionCostDetails, m.CompletionCostDetails)
	return m
}

// spelled returns current if both are known and equivalent.
func spelled(current, m types.String, same func(string, string) bool) types.String {
	unwritten := func(s types.String) bool { return s.IsNull() || s.IsUnknown() }
	if unwritten(current) || unwritten(m) || !same(current.ValueString(), m.ValueString()) {
		return m
	}
	return current
}

// spelledDetails returns current if both are known and have the same prices; an empty map equals null.
func spelledDetails(current, m types.Map) types.Map {
	same := func(a, b attr.Value) bool {
		one, isText := a.(types.String)
		other, isTextToo := b.(types.String)
		return isText && isTextToo && spelled(one, other, isSamePrice).Equal(one)
	}
	if current.IsUnknown() || m.IsUnknown() || current.IsNull() && m.IsNull() || !maps.EqualFunc(current.Elements(), m.Elements(), same) {
		return m
	}
	return current
}

func isSamePrice(a, b string) bool {
	one, err := decimal.Parse(a)
	other, otherErr := decimal.Parse(b)
	return err == nil && otherErr == nil && one.Equal(other)
}
