package usage

import (
	"maps"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// Totals are figures that can be added up: those of a run, of a run and all below it, of a trace or of a project. A nil
// cost is unknown for all of the runs.
type Totals struct {
	// Rolled-up figures are stored under these short names, because there are many.
	PromptTokens           int64  `json:"p,omitempty"`
	CompletionTokens       int64  `json:"c,omitempty"`
	TotalTokens            int64  `json:"t,omitempty"`
	PromptTokenDetails     Counts `json:"pd,omitempty"`
	CompletionTokenDetails Counts `json:"cd,omitempty"`

	PromptCost            *decimal.Decimal `json:"p$,omitempty"`
	CompletionCost        *decimal.Decimal `json:"c$,omitempty"`
	TotalCost             *decimal.Decimal `json:"t$,omitempty"`
	PromptCostDetails     Costs            `json:"pd$,omitempty"`
	CompletionCostDetails Costs            `json:"cd$,omitempty"`
	// OtherCost is the part of TotalCost that belongs to neither side: costs of runs that report only a total, such as
	// tools.
	OtherCost *decimal.Decimal `json:"o$,omitempty"`
	// UnpricedRuns are calls of models without any cost, and UnpricedTokens are theirs.
	UnpricedRuns   int64 `json:"u,omitempty"`
	UnpricedTokens int64 `json:"ut,omitempty"`
	// IncompleteRuns are calls whose cost lacks charges, and UncheckedRuns those for which that was never found out.
	IncompleteRuns int64 `json:"i,omitempty"`
	UncheckedRuns  int64 `json:"k,omitempty"`

	FirstTokenTime *time.Time `json:"-"` // the earliest of all runs
}

// Add returns the sum; neither operand is changed.
func (t Totals) Add(more Totals) Totals {
	t.PromptTokenDetails, t.CompletionTokenDetails = maps.Clone(t.PromptTokenDetails), maps.Clone(t.CompletionTokenDetails)
	t.PromptCostDetails, t.CompletionCostDetails = maps.Clone(t.PromptCostDetails), maps.Clone(t.CompletionCostDetails)
	t.Include(more)
	return t
}

// Include is Add in place: it changes t and its details, which no other totals may have.
func (t *Totals) Include(more Totals) {
	t.PromptTokens = addTokens(t.PromptTokens, more.PromptTokens)
	t.CompletionTokens = addTokens(t.CompletionTokens, more.CompletionTokens)
	t.TotalTokens = addTokens(t.TotalTokens, more.TotalTokens)
	t.PromptTokenDetails = plusDetails(t.PromptTokenDetails, more.PromptTokenDetails)
	t.CompletionTokenDetails = plusDetails(t.CompletionTokenDetails, more.CompletionTokenDetails)
	t.PromptCost = plusCost(t.PromptCost, more.PromptCost)
	t.CompletionCost = plusCost(t.CompletionCost, more.CompletionCost)
	t.TotalCost = plusCost(t.TotalCost, more.TotalCost)
	t.PromptCostDetails = plusDetails(t.PromptCostDetails, more.PromptCostDetails)
	t.CompletionCostDetails = plusDetails(t.CompletionCostDetails, more.CompletionCostDetails)
	t.OtherCost = plusCost(t.OtherCost, more.OtherCost)
	t.UnpricedRuns += more.UnpricedRuns
	t.UnpricedTokens = addTokens(t.UnpricedTokens, more.UnpricedTokens)
	t.IncompleteRuns += more.IncompleteRuns
	t.UncheckedRuns += more.UncheckedRuns
	if first := more.FirstTokenTime; first != nil && (t.FirstTokenTime == nil || first.Before(*t.FirstTokenTime)) {
		t.FirstTokenTime = first
	}
}
