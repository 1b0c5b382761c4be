package usage

import (
	"maps"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// Node is what a run contributes to the totals of the runs above it and of its trace.
type Node struct {
	ID          uuid.UUID
	ParentRunID uuid.UUID
	TraceID     uuid.UUID
	Totals      Totals
}

// Totals are figures that can be added up: those of a run, of a run and all below it, of a trace or of a project. A nil
// cost is unknown for all of the runs.
type Totals struct {
	PromptTokens           int64
	CompletionTokens       int64
	TotalTokens            int64
	PromptTokenDetails     Counts
	CompletionTokenDetails Counts

	PromptCost            *decimal.Decimal
	CompletionCost        *decimal.Decimal
	TotalCost             *decimal.Decimal
	PromptCostDetails     Costs
	CompletionCostDetails Costs
	// OtherCost is the part of TotalCost that belongs to neither side: costs of runs that report only a total, such as
	// tools.
	OtherCost *decimal.Decimal
	// UnpricedRuns are calls of models without any cost, and UnpricedTokens are theirs.
	UnpricedRuns   int64
	UnpricedTokens int64
	// IncompleteRuns are calls whose cost lacks charges, and UncheckedRuns those for which that was never found out.
	IncompleteRuns int64
	UncheckedRuns  int64

	FirstTokenTime *time.Time // the earliest of all runs
}

// Add returns the sum; neither operand is changed.
func (t Totals) Add(more Totals) Totals {
	t = t.clone()
	t.add(more)
	return t
}

// clone returns the same totals with details of its own.
func (t Totals) clone() Totals {
	t.PromptTokenDetails, t.CompletionTokenDetails = maps.Clone(t.PromptTokenDetails), maps.Clone(t.CompletionTokenDetails)
	t.PromptCostDetails, t.CompletionCostDetails = maps.Clone(t.PromptCostDetails), maps.Clone(t.CompletionCostDetails)
	return t
}

// add changes t, whose details must be its own.
func (t *Totals) add(more Totals) {
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

// Rollup adds the figures of runs to the runs above them, and to their traces. The order of the nodes doesn't matter; of
// two with the same ID, the later one counts.
//
// Runs arrive in any order and some never do, so a parent may be missing: its children still count for their trace. If runs
// form a cycle, which no client intends, all of them have the sum of the cycle.
func Rollup(nodes []Node) (runs, traces map[uuid.UUID]Totals) {
	byID := make(map[uuid.UUID]Node, len(nodes))
	for _, n := range nodes {
		byID[n.ID] = n
	}
	sums, ofTraces := make(map[uuid.UUID]*Totals, len(byID)), map[uuid.UUID]*Totals{}
	waiting := make(map[uuid.UUID]int, len(byID)) // The number of children not yet added to a run.
	for id, n := range byID {
		sums[id] = new(n.Totals.clone())
		if ofTraces[n.TraceID] == nil {
			ofTraces[n.TraceID] = &Totals{}
		}
		ofTraces[n.TraceID].add(n.Totals)
		if _, known := byID[n.ParentRunID]; known {
			waiting[n.ParentRunID]++
		}
	}
	for id := range byID {
		for waiting[id] == 0 { // Its parent may have waited for this run alone.
			parent := byID[id].ParentRunID
			delete(byID, id)
			if _, known := byID[parent]; !known {
				break
			}
			sums[parent].add(*sums[id])
			waiting[parent]--
			id = parent
		}
	}
	// All children of the remaining runs are among them, and so is the parent of each, so they form cycles.
	for id := range byID {
		var circle []uuid.UUID
		var whole Totals
		for n, left := byID[id]; left; n, left = byID[id] {
			circle = append(circle, id)
			whole.add(*sums[id])
			delete(byID, id)
			id = n.ParentRunID
		}
		for _, id := range circle {
			sums[id] = &whole
		}
	}
	return totalsOf(sums), totalsOf(ofTraces)
}

func totalsOf(sums map[uuid.UUID]*Totals) map[uuid.UUID]Totals {
	all := make(map[uuid.UUID]Totals, len(sums))
	for id, s := range sums {
		all[id] = *s
	}
	return all
}
