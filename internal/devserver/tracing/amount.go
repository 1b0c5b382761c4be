package tracing

import (
	"fmt"
	"maps"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// absurd says whether a number is too large for tokens or dollars; negative ones are never read. Files written before such
// numbers were refused may contain some.
func absurd(n usage.Decimal) bool { return n.Cmp(usage.DecimalOf(limits.Amount)) > 0 }

// withoutAbsurd removes numbers that would distort every sum.
func withoutAbsurd[M ~map[string]usage.Decimal](details M) M {
	maps.DeleteFunc(details, func(_ string, n usage.Decimal) bool { return absurd(n) })
	return details
}

// refuseAmounts refuses a run with excessive tokens or costs.
func refuseAmounts(id string, m llmrun.Measurement) error {
	amounts := map[string]usage.Decimal{}
	for name, tokens := range map[string]*int64{
		"input_tokens": m.Usage.InputTokens, "output_tokens": m.Usage.OutputTokens, "total_tokens": m.Usage.TotalTokens,
	} {
		if tokens != nil {
			amounts[name] = usage.DecimalOf(*tokens)
		}
	}
	for name, cost := range map[string]*usage.Decimal{
		"input_cost": m.Cost.PromptCost, "output_cost": m.Cost.CompletionCost, "total_cost": m.Cost.TotalCost,
	} {
		if cost != nil {
			amounts[name] = *cost
		}
	}
	for name, details := range map[string]map[string]usage.Decimal{
		"input_token_details": m.Usage.InputTokenDetails, "output_token_details": m.Usage.OutputTokenDetails,
		"input_cost_details": m.Cost.PromptCostDetails, "output_cost_details": m.Cost.CompletionCostDetails,
	} {
		for kind, n := range details {
			amounts[name+"."+kind] = n
		}
	}
	var problems []string
	for _, name := range rest.SortedKeys(amounts) {
		if absurd(amounts[name]) {
			problems = append(problems, fmt.Sprintf("%s is greater than %d", name, int64(limits.Amount)))
		}
	}
	if problems == nil {
		return nil
	}
	return refuseRun(http.StatusUnprocessableEntity, id, problems)
}
