package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// matching returns a filter for runs that match an expression.
func matching(t *testing.T, text string) filter.Expr {
	t.Helper()
	e, err := filter.Parse(text)
	devservertest.Must(t, err)
	return e
}

// withSharedTrace returns a store in which two workspaces have runs with the same trace ID: one has a root and its child, the other
// another child. Their names tell the workspace.
func withSharedTrace(t *testing.T) *store.Store {
	t.Helper()
	s := withProjects(t)
	do(t, s, func(tx *store.Tx) error {
		return tx.EnsureProject(store.Project{ID: "q1", WorkspaceID: "another", Name: "one", StartTime: at})
	})
	root, child, other, otherRoot := run("root", 0), run("child", 1), run("other", 2), run("other root", 3)
	root.Name, child.Name, other.Name, otherRoot.Name = "here", "here below", "there below", "there"
	child.TraceID, child.ParentRunID = "root", new("root")
	other.TraceID, other.ParentRunID = "root", new("root")
	otherRoot.TraceID = "root"
	for _, r := range []*store.Run{&other, &otherRoot} {
		r.WorkspaceID, r.ProjectID = "another", "q1"
	}
	child.Figures, other.Figures = `{"basis":"here"}`, `{"basis":"there"}`
	save(t, s, root, child, other, otherRoot)
	return s
}

// TestTraceConditions checks that conditions on a trace are evaluated in the workspace only, and those on the root on
// no other run.
func TestTraceConditions(t *testing.T) {
	t.Parallel()
	s := withSharedTrace(t)
	for text, tc := range map[string]struct{ root, tree []string }{
		`eq(name, "here")`:                               {[]string{"root", "child"}, []string{"root", "child"}},
		`eq(name, "here below")`:                         {nil, []string{"root", "child"}},
		`eq(name, "there")`:                              {nil, nil},
		`eq(name, "there below")`:                        {nil, nil},
		`or(eq(name, "there"), eq(name, "there below"))`: {nil, nil},
	} {
		for name, ask := range map[string]struct {
			filter store.RunFilter
			want   []string
		}{
			"root": {store.RunFilter{RootWhere: matching(t, text)}, tc.root},
			"tree": {store.RunFilter{TreeWhere: matching(t, text)}, tc.tree},
		} {
			ask.filter.WorkspaceID = workspace
			devservertest.Same(t, fmt.Sprintf("%s of the %s", text, name), ask.want, pageThrough(t, s, ask.filter, true), cmpopts.EquateEmpty())
		}
	}
}

// TestLargeTrace_unraced checks that conditions on a large trace are evaluated once, and not for each of its runs, which would take 100 million
// lookups here.
func TestLargeTrace_unraced(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	root := run("root", 0)
	runs := []store.Run{root}
	for i := range 10_000 {
		below := run(fmt.Sprint("below ", i), 1)
		below.TraceID, below.ParentRunID = root.ID, &root.ID
		runs = append(runs, below)
	}
	save(t, s, append(runs, run("alone", 2))...)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // It takes a hundredth of this.
	defer cancel()
	readParts := func(f store.RunFilter) (sizes []int) {
		read(t, s, func(tx *store.Tx) (err error) {
			sizes, err = store.PartSizes(tx, f)
			return err
		})
		return sizes
	}
	devservertest.Same(t, "parts for a condition on figures", []int{256, 512, 1024, 2048, 2560, 3200, 402},
		readParts(store.RunFilter{WorkspaceID: workspace, Subtrees: true, Where: matching(t, "gt(total_tokens, 1)")}))
	devservertest.Same(t, "parts for a condition on any run", []int{256, 512, 1024, 2048, 4096, 2066},
		readParts(store.RunFilter{WorkspaceID: workspace, TreeWhere: matching(t, `eq(name, "nobody")`)}))
	for text, want := range map[string]int{`eq(name, "nobody")`: 0, `eq(name, "name of below 9999")`: len(runs), `eq(name, "name of alone")`: 1} {
		var got []store.Run
		err := s.Read(ctx, func(tx *store.Tx) (err error) {
			got, err = tx.Runs(store.RunFilter{WorkspaceID: workspace, TreeWhere: matching(t, text)}, false, nil, 20_000)
			return err
		})
		if err != nil || len(got) != want {
			t.Errorf("%s: %d runs, want %d: %v", text, len(got), want, err)
		}
	}
}

// TestFiguresOfSharedTrace checks that the figures of a trace include the workspace's runs only.
func TestFiguresOfSharedTrace(t *testing.T) {
	t.Parallel()
	s := withSharedTrace(t)
	for asker, want := range map[string][]string{workspace: {"child", "root"}, "another": {"other", "other root"}} {
		var got []string
		do(t, s, func(tx *store.Tx) error {
			visit := func(f store.RunFigures) error { got = append(got, f.ID); return nil }
			return tx.EachFiguresOfTraces(store.RunFilter{WorkspaceID: asker}, false, visit)
		})
		slices.Sort(got)
		devservertest.Same(t, fmt.Sprintf("figures for %s", asker), want, got)
	}
}

// TestExamples finds runs by the reference example of their post or patch. The patch takes precedence.
func TestExamples(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	do(t, s, func(tx *store.Tx) error {
		return errors.Join(
			tx.SaveRun(run("posted", 0), store.RunBody{Post: []byte(`{"reference_example_id":"e1"}`), Patch: []byte(`{}`)}, nil),
			tx.SaveRun(run("patched", 1), store.RunBody{Post: []byte(`{"reference_example_id":"e1"}`), Patch: []byte(`{"reference_example_id":"e2"}`)}, nil),
			tx.SaveRun(run("none", 2), store.RunBody{Post: []byte(`{}`), Patch: []byte(`{}`)}, nil))
	})
	for _, tc := range []struct{ examples, want []string }{
		{nil, []string{"posted", "patched", "none"}}, {[]string{}, nil}, {[]string{"e1"}, []string{"posted"}},
		{[]string{"e1", "e2", "e3"}, []string{"posted", "patched"}},
	} {
		f := store.RunFilter{WorkspaceID: workspace, Examples: tc.examples}
		devservertest.Same(t, fmt.Sprintf("examples %q", tc.examples), tc.want, pageThrough(t, s, f, true), cmpopts.EquateEmpty())
	}
}

// TestSubtreesInOnePass filters and sorts the runs of a deep trace by figures that include all runs below them, and counts the runs
// that PostgreSQL reads for that: all of them a dozen times, and not each once for every run above it.
func TestSubtreesInOnePass(t *testing.T) {
	t.Parallel()
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
	do(t, s, func(tx *store.Tx) error {
		f.Where = matching(t, "and(gt(total_tokens, 38), eq(total_cost, 3.9))")
		rows, err := tx.SortedRuns(f, "total_tokens", false, store.Page{Limit: 100})
		for _, row := range rows {
			got = append(got, row.ID)
		}
		if err != nil || !postgrestest.Wanted() {
			return err
		}
		read, err := store.RunsRead(tx)
		if limit := int64(12 * len(all)); read > limit {
			t.Errorf("%d runs of a trace of %d were read, want at most %d", read, len(all), limit)
		}
		return err
	})
	// 39 tokens at ten cents: the second run of each branch, newest first.
	var want []string
	for b := branches - 1; b >= 0; b-- {
		want = append(want, fmt.Sprintf("r%02d-01", b))
	}
	devservertest.Same(t, "runs with 39 tokens below them", want, got)
}

// TestFiguresComputed checks that figures are computed once for all conditions on them, and only of the runs that can satisfy the others.
func TestFiguresComputed(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	root, below, alone := run("root", 0), run("below", 1), run("alone", 2)
	below.TraceID, below.ParentRunID = root.ID, &root.ID
	for _, r := range []*store.Run{&root, &below, &alone} {
		r.TotalTokens, r.DottedOrder = 1, new(r.ID)
	}
	save(t, s, root, below, alone)
	figure := matching(t, "and(gt(total_tokens, 0), lt(total_tokens, 9), in(total_tokens, [1, 2, null]))")
	for what, f := range map[string]store.RunFilter{
		"a run":    {IDs: []string{"below"}, Where: figure},
		"its root": {IDs: []string{"below"}, RootWhere: figure},
	} {
		f.WorkspaceID, f.Subtrees = workspace, true
		var got []int
		read(t, s, func(tx *store.Tx) (err error) {
			got, err = store.FiguresComputed(tx, f)
			return err
		})
		devservertest.Same(t, "figures computed for "+what, []int{1}, got)
	}
}

// TestRunsBelowEachOther checks that runs that are below each other, or below themselves, have figures: their own, and those of what else is below
// them.
func TestRunsBelowEachOther(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	all := []store.Run{run("root", 0)}
	for id, parent := range map[string]string{"own": "own", "first": "second", "second": "first", "leaf": "first"} {
		one := run(id, 1)
		one.TraceID, one.ParentRunID = "root", new(parent)
		all = append(all, one)
	}
	for i := range all {
		all[i].TotalTokens, all[i].DottedOrder = 1, new(all[i].ID)
	}
	save(t, s, all...)
	for text, want := range map[string][]string{
		"eq(total_tokens, 1)": {"leaf", "own", "second"}, "eq(total_tokens, 2)": {"first"}, "eq(total_tokens, 5)": {"root"},
	} {
		got := pageThrough(t, s, store.RunFilter{WorkspaceID: workspace, TraceID: "root", Subtrees: true, Where: matching(t, text)}, true)
		slices.Sort(got)
		devservertest.Same(t, text, want, got)
	}
}
