package pages

import (
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// treeOf builds a tree of runs. Rows are in dotted order, so that each comes after its parent.
func treeOf(trace *figure.Trace) []web.TraceNode {
	rows := trace.Runs
	known, children := make(map[string]bool, len(rows)), map[string][]int{} // The numbers of rows, by their parents.
	for i := range rows {
		known[rows[i].ID] = true
	}
	var roots []int
	for i := range rows {
		if parent := rows[i].ParentRunID; parent != nil && known[*parent] && *parent != rows[i].ID {
			children[*parent] = append(children[*parent], i)
			continue
		}
		roots = append(roots, i)
	}
	var nodes func(numbers []int) []web.TraceNode
	nodes = func(numbers []int) []web.TraceNode {
		return form.Collect(numbers, func(i int) web.TraceNode {
			row := &rows[i]
			below := children[row.ID]
			delete(children, row.ID) // A cycle of parents would never end.
			node := nodeOf(trace, row)
			node.SelfTime = selfTime(row, rows, below)
			node.Children = nodes(below)
			return node
		})
	}
	return nodes(roots)
}

// nodeOf returns a run of a trace without those below it.
func nodeOf(trace *figure.Trace, row *store.Run) web.TraceNode {
	of := trace.Of[row.ID]
	node := web.TraceNode{
		RunSummary: runSummary(*row, of.Totals, of.Models), OwnTokens: of.Own.TotalTokens, OwnCost: costText(of.Own.TotalCost),
		RunsBelow: max(0, of.Runs-1), ErrorsBelow: of.Failed, CallsModel: llmrun.RunType(row.RunType).CallsModel(),
	}
	if node.Failed() {
		node.ErrorsBelow--
	}
	return node
}

// selfTime is how long a run took without the runs directly below it, which may overlap; nil while it is pending.
func selfTime(run *store.Run, rows []store.Run, below []int) *time.Duration {
	if run.EndTime == nil {
		return nil
	}
	self := max(0, run.EndTime.Sub(run.StartTime))
	begun := func(a, b int) int { return rows[a].StartTime.Compare(rows[b].StartTime) }
	if !slices.IsSortedFunc(below, begun) {
		below = slices.SortedStableFunc(slices.Values(below), begun)
	}
	covered := run.StartTime // Until then, everything is counted.
	for _, i := range below {
		from, end := rows[i].StartTime, *run.EndTime
		if rows[i].EndTime != nil && rows[i].EndTime.Before(end) {
			end = *rows[i].EndTime
		}
		if from.Before(covered) {
			from = covered
		}
		if end.After(from) {
			self, covered = self-end.Sub(from), end
		}
	}
	return &self
}
