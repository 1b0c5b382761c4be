package usage

import (
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

func TestTotalsAdd(t *testing.T) {
	t.Parallel()
	one, two, early, late := decimal.Of(1), decimal.Of(2), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	a := Totals{PromptTokens: 1, PromptCost: &one, TotalCost: &one, PromptCostDetails: Costs{"a": one}, FirstTokenTime: &late}
	a.UnpricedRuns, a.UnpricedTokens, a.IncompleteRuns, a.UncheckedRuns = 1, 2, 3, 4
	b := Totals{CompletionTokens: 2, CompletionTokenDetails: Counts{"c": two}, TotalCost: &two, OtherCost: &two, PromptCostDetails: Costs{"a": two, "b": two}, FirstTokenTime: &early}
	b.UnpricedRuns, b.UnpricedTokens, b.IncompleteRuns, b.UncheckedRuns = 10, 20, 30, 40
	three := decimal.Of(3)
	want := Totals{
		PromptTokens: 1, CompletionTokens: 2, CompletionTokenDetails: Counts{"c": two}, PromptCost: &one, TotalCost: &three, OtherCost: &two,
		PromptCostDetails: Costs{"a": three, "b": two}, FirstTokenTime: &early,
		UnpricedRuns: 11, UnpricedTokens: 22, IncompleteRuns: 33, UncheckedRuns: 44,
	}
	for name, got := range map[string]Totals{"a+b": a.Add(b), "b+a": b.Add(a), "a+b+0": a.Add(b).Add(Totals{})} {
		assert.Same(t, name, want, got)
	}
	if !a.PromptCostDetails["a"].Equal(one) || !b.PromptCostDetails["a"].Equal(two) {
		t.Error("Add changed an operand")
	}
}
