package usage

import (
	"time"

	"github.com/google/uuid"
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

	PromptCost            *Decimal
	CompletionCost        *Decimal
	TotalCost             *Decimal
	PromptCostDetails     Costs
	CompletionCostDetails Costs
	// OtherCost is the part of TotalCost that belongs to neither side: costs of runs that report only a total, such as
	// tools.
	OtherCost *Decimal
	// UnpricedRuns have tokens and no cost at all, and UnpricedTokens are theirs.
	UnpricedRuns   int64
	UnpricedTokens int64

	// FirstTokenTime is the earliest of all runs.
	FirstTokenTime *time.Time
}

// Add returns the sum; neither operand is changed.
func (t Totals) Add(more Totals) Totals {
	sum := Totals{
		PromptTokens:           addTokens(t.PromptTokens, more.PromptTokens),
		CompletionTokens:       addTokens(t.CompletionTokens, more.CompletionTokens),
		TotalTokens:            addTokens(t.TotalTokens, more.TotalTokens),
		PromptTokenDetails:     joinDetails(t.PromptTokenDetails, more.PromptTokenDetails),
		CompletionTokenDetails: joinDetails(t.CompletionTokenDetails, more.CompletionTokenDetails),
		PromptCost:             plusCost(t.PromptCost, more.PromptCost),
		CompletionCost:         plusCost(t.CompletionCost, more.CompletionCost),
		TotalCost:              plusCost(t.TotalCost, more.TotalCost),
		PromptCostDetails:      joinDetails(t.PromptCostDetails, more.PromptCostDetails),
		CompletionCostDetails:  joinDetails(t.CompletionCostDetails, more.CompletionCostDetails),
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

func joinDetails[M ~map[string]Decimal](a, b M) M {
	return plusDetails(plusDetails(nil, a), b)
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
		if _, known := byID[n.ParentRunID]; known && n.ParentRunID != uuid.Nil {
			waiting[n.ParentRunID]++
		}
	}
	var done []uuid.UUID
	for id := range byID {
		if waiting[id] == 0 {
			done = append(done, id)
		}
	}
	for len(done) > 0 {
		id := done[len(done)-1]
		done = done[:len(done)-1]
		parent := byID[id].ParentRunID
		delete(byID, id)
		if _, known := byID[parent]; !known {
			continue
		}
		runs[parent] = runs[parent].Add(runs[id])
		if waiting[parent]--; waiting[parent] == 0 {
			done = append(done, parent)
		}
	}
	addCircles(byID, runs)
	return runs, traces
}

// addCircles handles the remaining runs: all of their children are among them, and so is the parent of each, so they form
// cycles.
func addCircles(left map[uuid.UUID]Node, runs map[uuid.UUID]Totals) {
	for len(left) > 0 {
		var circle []uuid.UUID
		var sum Totals
		for id := range left {
			for _, again := left[id]; again; _, again = left[id] {
				circle, sum = append(circle, id), sum.Add(runs[id])
				parent := left[id].ParentRunID
				delete(left, id)
				id = parent
			}
			break
		}
		for _, id := range circle {
			runs[id] = sum
		}
	}
}
