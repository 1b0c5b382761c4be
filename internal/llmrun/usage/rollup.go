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

// Totals are figures that add up: those of a run, of a run and all below it, of a trace or of a project. A cost that is
// nil is not known for any of the runs.
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
	// OtherCost is the part of TotalCost that is of neither side: what runs have cost that state a total alone, as tools do.
	OtherCost *Decimal

	// FirstTokenTime is the earliest.
	FirstTokenTime *time.Time
}

// Add is the sum; neither operand is changed.
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

// Rollup adds the figures of runs up to the runs above them, and to their traces. The order of the nodes doesn't matter;
// of two with one id the later one counts.
//
// Runs arrive in any order and some never do, so a parent may be missing: its children still count for their trace. Runs
// that are each other's parents, which no client means, all have the sum of their circle.
func Rollup(nodes []Node) (runs, traces map[uuid.UUID]Totals) {
	byID := make(map[uuid.UUID]Node, len(nodes))
	for _, n := range nodes {
		byID[n.ID] = n
	}
	runs, traces = make(map[uuid.UUID]Totals, len(byID)), map[uuid.UUID]Totals{}
	waiting := make(map[uuid.UUID]int, len(byID)) // The children that a run has still to hear of.
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

// addCircles handles the runs that are left: none of them has a child that isn't one of them, and each has a parent that
// is, so they are circles.
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
