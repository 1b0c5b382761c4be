package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestReadsAreIndexed checks that queries for traces and conversations of a project use an index.
func TestReadsAreIndexed(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "plane.db"))
	project := store.RunFilter{WorkspaceID: workspace, ProjectIDs: []string{"p1"}}
	window := project
	window.From = &at
	all := store.RunFilter{WorkspaceID: workspace, From: &at}
	threads := func(f store.RunFilter) func(*store.Tx) ([]string, error) {
		return func(tx *store.Tx) ([]string, error) {
			return store.PlanThreads(tx, f, &store.Thread{ID: "t", LastStart: at})
		}
	}
	turns := func(f store.RunFilter) func(*store.Tx) ([]string, error) {
		return func(tx *store.Tx) ([]string, error) { return store.PlanThreadRuns(tx, f, []string{"a", "b"}) }
	}
	for name, tc := range map[string]struct {
		plan  func(*store.Tx) ([]string, error)
		index string
	}{
		"a trace": {func(tx *store.Tx) ([]string, error) {
			return store.PlanTraceRuns(tx, store.RunFilter{WorkspaceID: workspace, TraceID: "t"})
		}, "runs_of_trace (trace_id=?)"},
		"threads":                {threads(project), "runs_of_thread (project=?"},
		"threads of a time":      {threads(window), "runs_by_place (project=? AND is_root=? AND start_time>?)"},
		"threads of a workspace": {threads(all), "runs_of_workspace (workspace_id=? AND start_time>?)"},
		"turns":                  {turns(project), "runs_of_thread (project=? AND thread_id=?)"},
		"turns of a time":        {turns(window), "runs_of_thread (project=? AND thread_id=? AND start_time>?)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text string
			do(t, s, func(tx *store.Tx) error {
				plan, err := tc.plan(tx)
				text = strings.Join(plan, "\n")
				return err
			})
			if strings.Contains(text, "SCAN") || !strings.Contains(text, tc.index) {
				t.Errorf("the query doesn't use the index %s, or scans a table:\n%s", tc.index, text)
			}
		})
	}
}
