package store_test

import (
	"fmt"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestSubtreesInOnePass filters and sorts the runs of a deep trace by figures that include all runs below them, and counts the runs
// that this reads: those of the trace once for each filter, and once for the order. It isn't parallel, because others would be counted.
func TestSubtreesInOnePass(t *testing.T) {
	s := withProjects(t)
	const branches, depth = 15, 40
	root := run("root", 0)
	root.RunType, root.DottedOrder = "chain", new("1Zroot")
	all := []store.Run{root}
	for b := range branches {
		parent := root
		for d := range depth {
			one := run(fmt.Sprintf("r%02d-%02d", b, d), b*depth+d)
			one.TraceID, one.ParentRunID, one.DottedOrder = "root", new(parent.ID), new(*parent.DottedOrder+".1Z"+one.ID)
			one.TotalTokens, one.TotalCost = 1, new("0.1")
			all, parent = append(all, one), one
		}
	}
	save(t, s, all...)
	f := store.RunFilter{WorkspaceID: workspace, TraceID: "root", Subtrees: true}
	var got []string
	before := store.SubtreeRuns()
	do(t, s, func(tx *store.Tx) error {
		f.Where = matching(t, "and(gt(total_tokens, 38), eq(total_cost, 3.9))")
		rows, err := tx.SortedRuns(f, "total_tokens", false, store.Page{Limit: 100})
		for _, row := range rows {
			got = append(got, row.ID)
		}
		return err
	})
	// 39 tokens at ten cents: the second run of each branch, newest first.
	var want []string
	for b := branches - 1; b >= 0; b-- {
		want = append(want, fmt.Sprintf("r%02d-01", b))
	}
	devservertest.Same(t, "runs with 39 tokens below them", want, got)
	if read, limit := store.SubtreeRuns()-before, int64(3*len(all)); read > limit {
		t.Errorf("%d runs of a trace of %d were read, want at most %d", read, len(all), limit)
	}
}
