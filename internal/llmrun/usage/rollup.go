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

	FirstTokenTime *time.Time // the earliest of all runs
}

// Add returns the sum; neither operand is changed.
func (t Totals) Add(more Totals) Totals {
	sum := Totals{
		PromptTokens:           addTokens(t.PromptTokens, more.PromptTokens),
		CompletionTokens:       addTokens(t.CompletionTokens, more.CompletionTokens),
		TotalTokens:            addTokens(t.TotalTokens, more.TotalTokens),
		PromptTokenDetails:     plusDetails(maps.Clone(t.PromptTokenDetails), more.PromptTokenDetails),
		CompletionTokenDetails: plusDetails(maps.Clone(t.CompletionTokenDetails), more.CompletionTokenDetails),
		PromptCost:             plusCost(t.PromptCost, more.PromptCost),
		CompletionCost:         plusCost(t.CompletionCost, more.CompletionCost),
		TotalCost:              plusCost(t.TotalCost, more.TotalCost),
		PromptCostDetails:      plusDetails(maps.Clone(t.PromptCostDetails), more.PromptCostDetails),
		CompletionCostDetails:  plusDetails(maps.Clone(t.CompletionCostDetails), more.CompletionCostDetails),
		OtherCost:              plusCost(t.OtherCost, more.OtherCost),
		UnpricedRuns:           t.UnpricedRuns + more.UnpricedRuns,
		UnpricedTokens:         addTokens(t.UnpricedTokens, more.UnpricedTokens),
		FirstTokenTime:         t.FirstTokenTime,
	}
	if first := more.FirstTokenTime; first != nil && (sum.FirstTokenTime == nil || first.Before(*sum.FirstTokenTime)) {
		sum.FirstTokenTime = first
	}
	return sum
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
	runs, traces = make(map[uuid.UUID]Totals, len(byID)), map[uuid.UUID]Totals{}
	waiting := make(map[uuid.UUID]int, len(byID)) // The number of children not yet added to a run.
	for id, n := range byID {
		runs[id] = n.Totals
		traces[n.TraceID] = traces[n.TraceID].Add(n.Totals)
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
			runs[parent] = runs[parent].Add(runs[id])
			waiting[parent]--
			id = parent
		}
	}
	// All children of the remaining runs are among them, and so is the parent of each, so they form cycles.
	for id := range byID {
		var circle []uuid.UUID
		var sum Totals
		for n, left := byID[id]; left; n, left = byID[id] {
			circle, sum = append(circle, id), sum.Add(runs[id])
			delete(byID, id)
			id = n.ParentRunID
		}
		for _, id := range circle {
			runs[id] = sum
		}
	}
	return runs, traces
}
