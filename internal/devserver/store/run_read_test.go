package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// runIDs returns the IDs of runs, in order.
func runIDs(runs []store.Run) []string {
	all := make([]string, len(runs))
	for i, r := range runs {
		all[i] = r.ID
	}
	return all
}

func TestTraceRuns(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	late, early, lost, other := run("late", 1), run("early", 2), run("lost", 3), run("other", 0)
	late.DottedOrder, early.DottedOrder, lost.DottedOrder = new("root.2"), new("root.1"), nil
	for _, r := range []*store.Run{&late, &early, &lost} {
		r.TraceID, r.ParentRunID = "root", new("root")
	}
	root := run("root", 4)
	root.DottedOrder = new("root")
	save(t, s, late, early, lost, other, root)
	do(t, s, func(tx *store.Tx) error {
		runs, err := tx.TraceRuns(store.RunFilter{WorkspaceID: workspace, TraceID: "root"})
		if diff := cmp.Diff([]string{"lost", "root", "early", "late"}, runIDs(runs)); diff != "" {
			t.Error(diff)
		}
		if err != nil {
			return err
		}
		runs, err = tx.TraceRuns(store.RunFilter{WorkspaceID: "another", TraceID: "root"})
		if len(runs) > 0 {
			t.Errorf("runs read by another workspace = %v, want none", runIDs(runs))
		}
		return err
	})
}

// withThreads returns a store with the conversations a, b and c. The last traces of b and c began at the same time.
func withThreads(t *testing.T) store.Store {
	t.Helper()
	s := withProjects(t)
	turn := func(r store.Run, thread string) store.Run {
		r.ThreadID = &thread
		return r
	}
	below, elsewhere := turn(run("below", 9), "a"), turn(run("elsewhere", 8), "d")
	below.ParentRunID, below.TraceID = new("a1"), "a1" // Conversations consist of root runs.
	elsewhere.ProjectID = "p2"
	save(t, s, turn(run("a2", 3), "a"), turn(run("a1", 1), "a"), turn(run("b1", 5), "b"), turn(run("c1", 5), "c"), turn(run("c0", 0), "c"),
		run("alone", 7), below, elsewhere)
	return s
}

func TestThreads(t *testing.T) {
	t.Parallel()
	s := withThreads(t)
	second := func(n int) time.Time { return at.Add(time.Duration(n) * time.Second) }
	a, b, c := store.Thread{ID: "a", LastStart: second(3)}, store.Thread{ID: "b", LastStart: second(5)}, store.Thread{ID: "c", LastStart: second(5)}
	d := store.Thread{ID: "d", LastStart: second(8)}
	project := store.RunFilter{ProjectIDs: []string{"p1"}}
	for name, tc := range map[string]struct {
		filter        store.RunFilter
		after         *store.Thread
		limit, offset int
		want          []store.Thread
		count         int64 // The number of all matching conversations.
	}{
		"a project":         {project, nil, 10, 0, []store.Thread{c, b, a}, 3},
		"all":               {store.RunFilter{}, nil, 10, 0, []store.Thread{d, c, b, a}, 4},
		"the first two":     {project, nil, 2, 0, []store.Thread{c, b}, 3},
		"all but two":       {project, nil, 10, 2, []store.Thread{a}, 3},
		"beyond the end":    {project, nil, 10, 3, nil, 3},
		"after one":         {project, &c, 10, 0, []store.Thread{b, a}, 3},
		"after the last":    {project, &a, 10, 0, nil, 3},
		"after one gone":    {project, &store.Thread{ID: "x", LastStart: second(4)}, 10, 0, []store.Thread{a}, 3},
		"a window":          {store.RunFilter{ProjectIDs: []string{"p1"}, To: new(second(3))}, nil, 10, 0, []store.Thread{{ID: "a", LastStart: second(1)}, {ID: "c", LastStart: at}}, 2},
		"a condition":       {store.RunFilter{Where: matching(t, `or(eq(id, "a1"), eq(id, "nobody"))`)}, nil, 10, 0, []store.Thread{{ID: "a", LastStart: second(1)}}, 1},
		"no project":        {store.RunFilter{ProjectIDs: []string{}}, nil, 10, 0, nil, 0},
		"another workspace": {store.RunFilter{WorkspaceID: "another"}, nil, 10, 0, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.filter.WorkspaceID == "" {
				tc.filter.WorkspaceID = workspace
			}
			do(t, s, func(tx *store.Tx) error {
				got, err := tx.Threads(tc.filter, tc.after, tc.limit, tc.offset)
				if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Error(diff)
				}
				if err != nil {
					return err
				}
				count, err := tx.CountThreads(tc.filter)
				if count != tc.count {
					t.Errorf("count = %d conversations, want %d", count, tc.count)
				}
				return err
			})
		})
	}
}

func TestThreadRuns(t *testing.T) {
	t.Parallel()
	s := withThreads(t)
	for name, tc := range map[string]struct {
		filter  store.RunFilter
		threads []string
		want    []string
	}{
		"two":               {store.RunFilter{ProjectIDs: []string{"p1"}}, []string{"c", "a"}, []string{"c0", "a1", "a2", "c1"}},
		"of any project":    {store.RunFilter{}, []string{"d", "b"}, []string{"b1", "elsewhere"}},
		"of another":        {store.RunFilter{ProjectIDs: []string{"p2"}}, []string{"a"}, nil},
		"none":              {store.RunFilter{}, nil, nil},
		"unknown":           {store.RunFilter{}, []string{"x"}, nil},
		"a window":          {store.RunFilter{From: new(at.Add(2 * time.Second))}, []string{"a"}, []string{"a2"}},
		"another workspace": {store.RunFilter{WorkspaceID: "another"}, []string{"a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.filter.WorkspaceID == "" {
				tc.filter.WorkspaceID = workspace
			}
			do(t, s, func(tx *store.Tx) error {
				got, err := tx.ThreadRuns(tc.filter, tc.threads)
				if diff := cmp.Diff(tc.want, runIDs(got), cmpopts.EquateEmpty()); diff != "" {
					t.Error(diff)
				}
				return err
			})
		})
	}
}

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
