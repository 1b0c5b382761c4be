package figure

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// Absurd reports whether a number is too large for tokens or dollars; negative ones are never read. Files written before such
// numbers were refused may contain some.
func Absurd(n decimal.Decimal) bool { return n.Cmp(decimal.Of(limits.Amount)) > 0 }

// withoutAbsurd removes numbers that would distort every sum.
func withoutAbsurd[M ~map[string]decimal.Decimal](details M) M {
	maps.DeleteFunc(details, func(_ string, n decimal.Decimal) bool { return Absurd(n) })
	return details
}

// Excessive returns what is wrong with the amounts of a run whose tokens or costs are absurd.
func Excessive(m llmrun.Measurement) (problems []string) {
	amounts := map[string]decimal.Decimal{}
	for name, tokens := range map[string]*int64{
		"input_tokens": m.Usage.Input.Tokens, "output_tokens": m.Usage.Output.Tokens, "total_tokens": m.Usage.TotalTokens,
	} {
		if tokens != nil {
			amounts[name] = decimal.Of(*tokens)
		}
	}
	for name, cost := range map[string]*decimal.Decimal{
		"input_cost": m.Cost.PromptCost, "output_cost": m.Cost.CompletionCost, "total_cost": m.Cost.TotalCost,
	} {
		if cost != nil {
			amounts[name] = *cost
		}
	}
	for name, details := range map[string]map[string]decimal.Decimal{
		"input_token_details": m.Usage.Input.Details, "output_token_details": m.Usage.Output.Details,
		"input_cost_details": m.Cost.PromptCostDetails, "output_cost_details": m.Cost.CompletionCostDetails,
	} {
		for kind, n := range details {
			amounts[name+"."+kind] = n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		if Absurd(amounts[name]) {
			problems = append(problems, fmt.Sprintf("%s is greater than %d", name, int64(limits.Amount)))
		}
	}
	return problems
}
