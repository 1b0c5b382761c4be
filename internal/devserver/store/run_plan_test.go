package store_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// indexedList is a list of runs, and the index by which SQLite reads it.
type indexedList struct {
	filter store.RunFilter
	index  string
	sorted bool // The few rows found need sorting.
}

func indexedLists(t *testing.T) map[string]indexedList {
	t.Helper()
	project := []string{"p1"}
	return map[string]indexedList{
		"workspace":   {store.RunFilter{}, "runs_of_workspace", false},
		"all roots":   {store.RunFilter{Root: new(true), From: &at}, "runs_of_workspace", false},
		"project":     {store.RunFilter{ProjectIDs: project}, "runs_by_time", false},
		"window":      {store.RunFilter{ProjectIDs: project, From: &at, To: &at}, "runs_by_time", false},
		"roots":       {store.RunFilter{ProjectIDs: project, Root: new(true)}, "runs_by_place", false},
		"type":        {store.RunFilter{ProjectIDs: project, RunType: "llm"}, "runs_by_type", true},
		"failed":      {store.RunFilter{ProjectIDs: project, Failed: new(true)}, "runs_failed", true},
		"thread":      {store.RunFilter{ProjectIDs: project, Where: matching(t, `eq(thread_id, "t")`)}, "runs_of_thread", true},
		"ids":         {store.RunFilter{IDs: []string{"a", "b"}}, "sqlite_autoindex_runs_1", true},
		"trace":       {store.RunFilter{TraceID: "t"}, "runs_of_trace", true},
		"parent":      {store.RunFilter{ParentRunID: "r"}, "runs_of_parent", true},
		"metadata":    {store.RunFilter{ProjectIDs: project, Where: matching(t, `and(eq(metadata_key, "k"), eq(metadata_value, "v"))`)}, "run_labels_by_value", true},
		"some of it":  {store.RunFilter{ProjectIDs: project, IDs: []string{"a"}, From: &at, To: &at}, "sqlite_autoindex_runs_1", true},
		"their roots": {store.RunFilter{ProjectIDs: project, RootWhere: matching(t, `eq(name, "n")`)}, "sqlite_autoindex_runs_1", false},
		"their sums": {
			store.RunFilter{ProjectIDs: project, Subtrees: true, RootWhere: matching(t, "gt(total_tokens, 1)")}, "sqlite_autoindex_runs_1", false,
		},
		"the newest": {store.RunFilter{ProjectIDs: project, RunType: "llm", Newest: 9}, "runs_by_time (project=? AND start_time>?", false},
		"their like": {
			store.RunFilter{ProjectIDs: project, RunType: "llm", Status: "error", Newest: 10_000, Where: matching(t, `eq(name, "n1")`)},
			"runs_by_time (project=? AND start_time>?", false,
		},
		"a trace's":    {store.RunFilter{ProjectIDs: project, TreeWhere: matching(t, `eq(name, "n")`)}, "runs_of_trace", true},
		"time":         {store.RunFilter{ProjectIDs: project, Where: matching(t, `and(gt(start_time, "2026-05-01T00:00:00Z"), gt(latency, 2))`)}, "runs_by_time", false},
		"tag":          {store.RunFilter{ProjectIDs: project, Where: matching(t, `has(tags, "t")`)}, "run_labels_by_value", true},
		"two projects": {store.RunFilter{ProjectIDs: []string{"p1", "p2"}}, "runs_by_time", true},
	}
}

// listScan is a step that reads a list of numbers, or of traces.
var listScan = regexp.MustCompile("SCAN (n|json_each) VIRTUAL TABLE")

// plans returns how a database reads a list, in both orders.
func plans(t *testing.T, s *store.Store, f store.RunFilter) (texts []string) {
	t.Helper()
	f.WorkspaceID = workspace
	for _, ascending := range []bool{false, true} {
		read(t, s, func(tx *store.Tx) error {
			plan, err := store.Plan(tx, f, ascending, &store.RunCursor{StartTime: at, Seq: 1})
			texts = append(texts, strings.Join(plan, "\n"))
			return err
		})
	}
	return texts
}

// TestRunsAreIndexed checks that no list scans a whole table, or sorts rows that it could read in order.
func TestRunsAreIndexed(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "plane.db"))
	for name, tc := range indexedLists(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range plans(t, s, tc.filter) {
				if strings.Contains(listScan.ReplaceAllString(text, ""), "SCAN") {
					t.Errorf("the query scans a table:\n%s", text)
				}
				if !strings.Contains(text, tc.index) {
					t.Errorf("the query doesn't use the index %s:\n%s", tc.index, text)
				}
				if strings.Contains(text, "TEMP B-TREE") && !tc.sorted {
					t.Errorf("the query sorts its rows, want them read in order:\n%s", text)
				}
			}
		})
	}
}

// TestReadsAreIndexed checks that queries for figures, traces and conversations use indexes, without reading bodies of runs.
func TestReadsAreIndexed(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "plane.db"))
	project := store.RunFilter{WorkspaceID: workspace, ProjectIDs: []string{"p1"}}
	since := project
	since.From = &at
	roots := project
	roots.Root = new(true)
	window, heavy := roots, roots
	window.From, window.To = &at, new(at.Add(time.Hour))
	heavy.Subtrees, heavy.Where = true, matching(t, "gt(total_cost, 1)")
	all := store.RunFilter{WorkspaceID: workspace, From: &at}
	trace := store.RunFilter{WorkspaceID: workspace, TraceID: "t"}
	roomy := project
	roomy.Subtrees, roomy.RootWhere = true, matching(t, "gt(total_tokens, 1)")
	told := project
	told.Where, told.TreeWhere = matching(t, `eq(thread_id, "t")`), matching(t, `eq(name, "n")`)
	type plan = func(*store.Tx) ([]string, error)
	timings := func(f store.RunFilter, by store.RunGroup) plan {
		return func(tx *store.Tx) ([]string, error) { return store.PlanTimings(tx, f, by) }
	}
	threads := func(f store.RunFilter) plan {
		return func(tx *store.Tx) ([]string, error) {
			return store.PlanThreads(tx, f, &store.Thread{ID: "t", LastStart: at})
		}
	}
	turns := func(f store.RunFilter) plan {
		return func(tx *store.Tx) ([]string, error) { return store.PlanThreadRuns(tx, f, []string{"a", "b"}) }
	}
	traces := func(f store.RunFilter) plan {
		return func(tx *store.Tx) ([]string, error) { return store.PlanFiguresOfTraces(tx, f) }
	}
	const place, ofTime, ofTrace = "runs_by_place (project=? AND is_root=?)",
		"runs_by_place (project=? AND is_root=? AND start_time>? AND start_time<?)", "runs_of_trace (trace_id=?)"
	for name, tc := range map[string]struct {
		plan    plan
		indexes []string
	}{
		"roots":           {timings(roots, store.RunGroup{}), []string{place}},
		"roots of a time": {timings(window, store.RunGroup{}), []string{ofTime}},
		"roots by tag": {
			timings(roots, store.RunGroup{Labels: &store.LabelGroup{}}), []string{place, "PRIMARY KEY (run=? AND kind=? AND key=?)"},
		},
		"roots by what is below them": {
			timings(heavy, store.RunGroup{}), []string{place, "runs_of_trace (trace_id=? AND dotted_order>?)", "sqlite_autoindex_runs_1 (workspace_id=? AND id=?)"},
		},
		"figures of a trace":               {func(tx *store.Tx) ([]string, error) { return store.PlanFigures(tx, trace) }, []string{ofTrace}},
		"figures of roots":                 {traces(roots), []string{ofTrace, place}},
		"figures of a time":                {traces(window), []string{ofTrace, ofTime}},
		"a trace":                          {func(tx *store.Tx) ([]string, error) { return store.PlanTraceRuns(tx, trace) }, []string{ofTrace}},
		"threads":                          {threads(project), []string{"runs_of_thread (project=?"}},
		"threads of a time":                {threads(since), []string{"runs_by_place (project=? AND is_root=? AND start_time>?)"}},
		"threads of a workspace":           {threads(all), []string{"runs_of_workspace (workspace_id=? AND start_time>?)"}},
		"turns of heavy roots":             {turns(roomy), []string{"runs_of_trace (trace_id=? AND dotted_order>?)"}},
		"turns by what is below them":      {turns(heavy), []string{"runs_of_trace (trace_id=? AND dotted_order>?)"}},
		"turns by any run of their traces": {timings(told, store.RunGroup{}), []string{ofTrace}},
		"feedback by what is below the runs": {
			func(tx *store.Tx) ([]string, error) { return store.PlanFeedback(tx, heavy) },
			[]string{"SEARCH r USING INDEX sqlite_autoindex_runs_1 (workspace_id=? AND id=?)"},
		},
		"runs with a key by what is below them": {
			func(tx *store.Tx) ([]string, error) { return store.PlanRunsWith(tx, heavy) }, []string{"SEARCH r USING INTEGER PRIMARY KEY (rowid=?)"},
		},
		"turns":           {turns(project), []string{"runs_of_thread (project=? AND thread_id=?)"}},
		"turns of a time": {turns(since), []string{"runs_of_thread (project=? AND thread_id=? AND start_time>?)"}},
	} {
		var text string
		do(t, s, func(tx *store.Tx) error {
			steps, err := tc.plan(tx)
			text = strings.Join(steps, "\n")
			return err
		})
		if strings.Contains(listScan.ReplaceAllString(text, ""), "SCAN") || strings.Contains(text, "run_bodies") {
			t.Errorf("%s: the query scans a table or reads bodies:\n%s", name, text)
		}
		if regexp.MustCompile("^(turns|feedback|runs with a key)").MatchString(name) && regexp.MustCompile("runs_by_(place|time|type)|runs_of_workspace").MatchString(text) {
			t.Errorf("%s: the query reads other runs of the project:\n%s", name, text)
		}
		for _, index := range tc.indexes {
			if !strings.Contains(text, index) {
				t.Errorf("%s: the query doesn't use the index %s:\n%s", name, index, text)
			}
		}
	}
}

// manyRuns are 50 projects with 60,000 runs of a month, and what PostgreSQL knows about them.
var manyRuns = []string{
	`INSERT INTO projects (id, workspace_id, name, start_time) SELECT 'p' || p, '` + workspace + `', 'project ' || p, 0 FROM generate_series(1, 50) AS p`,
	`INSERT INTO runs (workspace_id, id, project, trace_id, parent_run_id, dotted_order, name, run_type, status, is_root, start_time, end_time, error,
		thread_id, prompt_tokens, completion_tokens, total_tokens, figures, received_at)
	SELECT '` + workspace + `', 'r' || n, 1 + n / 10 % 50, 'r' || (n - n % 10), CASE WHEN n % 10 > 0 THEN 'r' || (n - n % 10) END,
		CASE WHEN n % 10 > 0 THEN (n - n % 10) || '.' ELSE '' END || n, 'n' || n % 40, (ARRAY['chain', 'llm', 'tool', 'llm', 'prompt'])[1 + n % 5],
		CASE WHEN n % 50 = 0 THEN 'error' ELSE 'success' END, n % 10 = 0, start_time, start_time + 2000000, CASE WHEN n % 50 = 0 THEN 'no' END,
		CASE WHEN n % 30 = 0 THEN 't' || n / 100 END, 10, 10, 20, '{}', start_time
	FROM generate_series(1, 60000) AS n, LATERAL (SELECT 1777716000000000 - CAST(n AS bigint) * 43200000 AS start_time) AS began`,
	`INSERT INTO run_labels (run, kind, key, value) SELECT seq, 1, 'k', 'v' || seq % 500 FROM runs`,
	"ANALYZE",
}

// aBillionRuns are the statistics of 1,000,000,000 runs in 50 projects. The files stay as they are, so that costs are only those of rows, and
// reading many rows seems cheaper than it is.
var aBillionRuns = []string{
	`UPDATE pg_class SET reltuples = reltuples * 16667 WHERE relkind IN ('r', 'i') AND relname ~ '^run(s|_bodies|_labels)(_|$)'`,
	`UPDATE pg_statistic SET stadistinct = -0.1 WHERE stadistinct > 1000 AND starelid IN ('runs'::regclass, 'run_labels'::regclass)`,
}

// TestRunsAreIndexedInPostgres checks that PostgreSQL, which chooses indexes by its statistics, reads no list by scanning the runs or their
// labels, however many there are.
func TestRunsAreIndexedInPostgres(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	s := open(t, "")
	for _, statement := range manyRuns {
		do(t, s, func(tx *store.Tx) error { return store.Exec(tx, statement) })
	}
	checkPostgresPlans(t, s, true)
	for _, statement := range aBillionRuns {
		do(t, s, func(tx *store.Tx) error { return store.Exec(tx, statement) })
	}
	checkPostgresPlans(t, s, false)
}

// TestLargeProjectIsIndexedInPostgres is TestRunsAreIndexedInPostgres for a database in which nearly all runs belong to one project.
func TestLargeProjectIsIndexedInPostgres(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	s := open(t, "")
	for _, statement := range append(slices.Clone(manyRuns), "UPDATE runs SET project = 1 WHERE seq % 100 > 0", "ANALYZE") {
		do(t, s, func(tx *store.Tx) error { return store.Exec(tx, statement) })
	}
	checkPostgresPlans(t, s, true)
}

// checkPostgresPlans checks the plans of all lists, and whether a condition on any run of a trace is looked up in the traces of a page.
func checkPostgresPlans(t *testing.T, s *store.Store, lookUp bool) {
	t.Helper()
	for name, tc := range indexedLists(t) {
		for _, text := range plans(t, s, tc.filter) {
			if strings.Contains(text, "Seq Scan on runs") || strings.Contains(text, "Seq Scan on run_labels") {
				t.Errorf("%s: the query scans a table:\n%s", name, text)
			}
			if lookUp && tc.filter.TreeWhere != nil && (!strings.Contains(text, "runs_of_trace") || strings.Contains(text, "runs_of_workspace")) {
				t.Errorf("%s: the query reads other traces than those of its runs:\n%s", name, text)
			}
		}
	}
}

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
