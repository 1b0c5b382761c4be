package store_test

import (
	"errors"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestFilterThatNeverHolds checks that a filter that is always false matches nothing in any position, and is no reason for an
// error: SQLite finds no plan for a statement with INDEXED BY if it can tell that no row matches.
func TestFilterThatNeverHolds(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	r := run("r1", 0)
	r.ThreadID, r.Figures = new("a"), `{"total_tokens":1}`
	save(t, s, r)
	found := func(f store.RunFilter) (threads, runs, figures int) {
		f.WorkspaceID, f.ProjectIDs = workspace, []string{"p1"}
		do(t, s, func(tx *store.Tx) error {
			inThreads, err := tx.ThreadRuns(f, []string{"a"})
			all, listed := tx.Runs(f, false, nil, 1)
			threads, runs = len(inThreads), len(all)
			return errors.Join(err, listed, tx.EachFiguresOfTraces(f, true, func(store.RunFigures) error {
				figures++
				return nil
			}))
		})
		return threads, runs, figures
	}
	if threads, runs, figures := found(store.RunFilter{}); threads != 1 || runs != 1 || figures != 1 {
		t.Errorf("without a filter: %d, %d and %d, want one each", threads, runs, figures)
	}
	for _, text := range []string{`in(feedback_key, [])`, `in(name, [])`, `or(in(metadata_value, []), and(in(id, []), eq(name, "name of r1")))`} {
		never, err := filter.Parse(text)
		devservertest.Must(t, err)
		for position, f := range map[string]store.RunFilter{"Where": {Where: never}, "RootWhere": {RootWhere: never}, "TreeWhere": {TreeWhere: never}} {
			if threads, runs, figures := found(f); threads != 0 || runs != 0 || figures != 0 {
				t.Errorf("%s in %s finds %d, %d and %d, want nothing", text, position, threads, runs, figures)
			}
		}
	}
}
