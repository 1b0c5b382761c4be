package store_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// withTraces returns a store with a trace of three runs and one of a single run in project p1, and one in p2.
func withTraces(t *testing.T) store.Store {
	t.Helper()
	s := withProjects(t)
	model := run("model", 2)
	model.TraceID, model.ParentRunID, model.Name = "root", new("step"), "gpt"
	model.PromptTokens, model.CompletionTokens, model.TotalTokens = 2, 3, 5
	model.PromptCost, model.CompletionCost, model.TotalCost = new("0.2"), new("0.3"), new("0.5")
	model.FirstTokenTime, model.Figures = new(at.Add(3*time.Second)), `{"basis":"b"}`
	step := run("step", 1)
	step.TraceID, step.ParentRunID, step.RunType = "root", new("root"), "chain"
	root := run("root", 0)
	root.RunType, root.EndTime = "chain", new(at.Add(5*time.Second))
	failed := run("failed", 9)
	failed.Error, failed.Figures = new("boom"), `{"basis":"c"}`
	elsewhere := run("elsewhere", 1)
	elsewhere.ProjectID, elsewhere.Figures = "p2", `{"basis":"d"}`
	save(t, s, model, step, root, failed, elsewhere)
	return s
}

func TestEachTiming(t *testing.T) {
	t.Parallel()
	s := withTraces(t)
	roots := store.RunFilter{WorkspaceID: workspace, ProjectIDs: []string{"p1"}, Root: new(true)}
	for name, tc := range map[string]struct {
		filter store.RunFilter
		by     store.RunGroup
		want   []store.RunTiming // By ID and group.
	}{
		"roots": {roots, store.RunGroup{}, []store.RunTiming{
			{ID: "failed", TraceID: "failed", StartTime: at.Add(9 * time.Second), Failed: true},
			{ID: "root", TraceID: "root", StartTime: at, EndTime: new(at.Add(5 * time.Second))},
		}},
		"roots by name": {roots, store.RunGroup{Column: store.ByName}, []store.RunTiming{
			{ID: "failed", TraceID: "failed", Group: "name of failed", StartTime: at.Add(9 * time.Second), Failed: true},
			{ID: "root", TraceID: "root", Group: "name of root", StartTime: at, EndTime: new(at.Add(5 * time.Second))},
		}},
		"a trace by type": {store.RunFilter{WorkspaceID: workspace, TraceID: "root"}, store.RunGroup{Column: store.ByRunType}, []store.RunTiming{
			{ID: "model", TraceID: "root", Group: "llm", StartTime: at.Add(2 * time.Second)},
			{ID: "root", TraceID: "root", Group: "chain", StartTime: at, EndTime: new(at.Add(5 * time.Second))},
			{ID: "step", TraceID: "root", Group: "chain", StartTime: at.Add(time.Second)},
		}},
		"another workspace": {store.RunFilter{WorkspaceID: "another"}, store.RunGroup{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, timings(t, s, tc.filter, tc.by), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func timings(t *testing.T, s store.Store, f store.RunFilter, by store.RunGroup) []store.RunTiming {
	t.Helper()
	var all []store.RunTiming
	do(t, s, func(tx *store.Tx) error {
		return tx.EachTiming(f, by, func(r store.RunTiming) error { all = append(all, r); return nil })
	})
	slices.SortFunc(all, func(a, b store.RunTiming) int { return strings.Compare(a.ID+" "+a.Group, b.ID+" "+b.Group) })
	return all
}

// TestTimingsByLabel checks that a run is in the group of each of its labels.
func TestTimingsByLabel(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	do(t, s, func(tx *store.Tx) error {
		body := store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}
		return errors.Join(
			tx.SaveRun(run("both", 0), body, []store.Label{{Value: "a"}, {Value: "b"}, {Kind: store.Metadata, Key: "team", Value: "x"}}),
			tx.SaveRun(run("one", 0), body, []store.Label{{Value: "a"}, {Kind: store.Metadata, Key: "other", Value: "x"}}),
			tx.SaveRun(run("none", 0), body, nil))
	})
	groups := func(by store.LabelGroup) []string {
		var all []string
		for _, r := range timings(t, s, store.RunFilter{WorkspaceID: workspace}, store.RunGroup{Labels: &by}) {
			all = append(all, r.ID+" "+r.Group)
		}
		return all
	}
	if diff := cmp.Diff([]string{"both a", "both b", "one a"}, groups(store.LabelGroup{})); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"both x"}, groups(store.LabelGroup{Kind: store.Metadata, Key: "team"})); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`both ["team","x"]`, `one ["other","x"]`}, groups(store.LabelGroup{Kind: store.Metadata, Pairs: true})); diff != "" {
		t.Errorf("all metadata (-want +got):\n%s", diff)
	}
}

// TestCountGroups checks that groups are sorted by size, then by name, and count only the given number of newest runs.
func TestCountGroups(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	var all []store.Run
	for i, name := range []string{"b", "a", "c", "c", "d", "c"} {
		one := run(strconv.Itoa(i), i)
		one.Name = name
		all = append(all, one)
	}
	save(t, s, all...)
	for _, tc := range []struct {
		newest, groups int
		want           []store.GroupCount
	}{
		{100, 3, []store.GroupCount{{"c", 3}, {"a", 1}, {"b", 1}}}, {2, 3, []store.GroupCount{{"c", 1}, {"d", 1}}}, {0, 3, []store.GroupCount{}},
	} {
		do(t, s, func(tx *store.Tx) error {
			got, err := tx.CountGroups(store.RunFilter{WorkspaceID: workspace}, store.RunGroup{Column: store.ByName}, tc.newest, tc.groups)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("groups of the newest %d runs (-want +got):\n%s", tc.newest, diff)
			}
			return err
		})
	}
}

// TestCountFacets compares the groups of random runs with those of CountGroups.
func TestCountFacets(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	random := rand.New(rand.NewPCG(1, 1))
	text := func(of string) string { return of + " " + strconv.Itoa(random.IntN(6)) }
	do(t, s, func(tx *store.Tx) error {
		for i := range 200 {
			one := run(strconv.Itoa(i), random.IntN(100))
			one.Name, one.RunType, one.Status = text("name"), text("type"), text("status")
			var labels []store.Label
			for range random.IntN(4) {
				labels = append(labels, store.Label{Value: text("tag")}, store.Label{Kind: store.Metadata, Key: text("key"), Value: text("\"value")})
			}
			if err := tx.SaveRun(one, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, labels); err != nil {
				return err
			}
		}
		return nil
	})
	by := []store.RunGroup{
		{Column: store.ByName}, {Labels: &store.LabelGroup{Kind: store.Metadata, Pairs: true}}, {Column: store.ByStatus},
		{Labels: &store.LabelGroup{Kind: store.Metadata, Key: "key 2"}}, {Labels: &store.LabelGroup{}}, {Column: store.ByRunType},
	}
	for _, f := range []store.RunFilter{
		{WorkspaceID: workspace}, {WorkspaceID: workspace, ProjectIDs: []string{"p1"}, Root: new(true)}, {WorkspaceID: "nobody's"},
		{WorkspaceID: workspace, Where: filter.Search{Text: "nowhere"}}, {WorkspaceID: workspace, Where: filter.Has{Value: filter.Value{Text: new("tag 1")}}},
	} {
		for _, newest := range []int{0, 1, 50, 1000} {
			for _, groups := range []int{1, 4, 100} {
				do(t, s, func(tx *store.Tx) error {
					got, err := tx.CountFacets(f, by, newest, groups)
					if err != nil {
						return err
					}
					for i, one := range by {
						want, err := tx.CountGroups(f, one, newest, groups)
						if err != nil {
							return err
						}
						if diff := cmp.Diff(want, got[i], cmpopts.EquateEmpty()); diff != "" {
							t.Errorf("%d groups %d of the newest %d runs of %+v (-want +got):\n%s", groups, i, newest, f, diff)
						}
					}
					return nil
				})
			}
		}
	}
}

// TestEachFiguresOfTraces reads the figures of all runs of a trace that have any, given one of its runs.
func TestEachFiguresOfTraces(t *testing.T) {
	t.Parallel()
	s := withTraces(t)
	model := store.RunFigures{
		ID: "model", TraceID: "root", RunType: "llm", ParentRunID: new("step"), DottedOrder: new("dmodel"), FirstTokenTime: new(at.Add(3 * time.Second)),
		PromptTokens: 2, CompletionTokens: 3, TotalTokens: 5, PromptCost: new("0.2"), CompletionCost: new("0.3"), TotalCost: new("0.5"),
		Figures: `{"basis":"b"}`,
	}
	bare := model
	bare.Figures = "{}"
	failed := store.RunFigures{ID: "failed", TraceID: "failed", RunType: "llm", DottedOrder: new("dfailed"), Figures: `{"basis":"c"}`, Failed: true}
	for name, tc := range map[string]struct {
		filter store.RunFilter
		whole  bool
		want   []store.RunFigures
	}{
		"the root":        {store.RunFilter{IDs: []string{"root"}}, true, []store.RunFigures{model}},
		"without objects": {store.RunFilter{IDs: []string{"root"}}, false, []store.RunFigures{bare}},
		"two of a trace":  {store.RunFilter{IDs: []string{"root", "step"}}, true, []store.RunFigures{model}},
		"all of one type": {store.RunFilter{RunType: "chain"}, true, []store.RunFigures{model}},
		"a project":       {store.RunFilter{ProjectIDs: []string{"p1"}}, true, []store.RunFigures{failed, model}},
		"nothing":         {store.RunFilter{IDs: []string{}}, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.filter.WorkspaceID = workspace
			var all []store.RunFigures
			do(t, s, func(tx *store.Tx) error {
				return tx.EachFiguresOfTraces(tc.filter, tc.whole, func(f store.RunFigures) error { all = append(all, f); return nil })
			})
			slices.SortFunc(all, func(a, b store.RunFigures) int { return strings.Compare(a.ID, b.ID) })
			if diff := cmp.Diff(tc.want, all, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEachFigures reads the figures of the matching runs only.
func TestEachFigures(t *testing.T) {
	t.Parallel()
	s := withTraces(t)
	var ids []string
	do(t, s, func(tx *store.Tx) error {
		return tx.EachFigures(store.RunFilter{WorkspaceID: workspace, TraceID: "root"}, func(f store.RunFigures) error {
			ids = append(ids, f.ID+" "+f.Figures)
			return nil
		})
	})
	slices.Sort(ids)
	if diff := cmp.Diff([]string{`model {"basis":"b"}`, "root {}", "step {}"}, ids); diff != "" {
		t.Error(diff)
	}
}

// TestFiguresAreIndexed checks that queries for figures use an index, without reading bodies of runs.
func TestFiguresAreIndexed(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "plane.db"))
	roots := store.RunFilter{WorkspaceID: workspace, ProjectIDs: []string{"p1"}, Root: new(true)}
	window := roots
	window.From, window.To = &at, new(at.Add(time.Hour))
	trace := store.RunFilter{WorkspaceID: workspace, TraceID: "t"}
	heavy := roots
	heavy.Subtrees, heavy.Where = true, filter.Compare{Op: filter.Greater, Field: filter.TotalCost, Value: filter.Value{Number: new("1")}}
	timings := func(f store.RunFilter, by store.RunGroup) func(*store.Tx) ([]string, error) {
		return func(tx *store.Tx) ([]string, error) { return store.PlanTimings(tx, f, by) }
	}
	const place, ofTime, ofTrace = "runs_by_place (project=? AND is_root=?)",
		"runs_by_place (project=? AND is_root=? AND start_time>? AND start_time<?)", "runs_of_trace (trace_id=?)"
	for name, tc := range map[string]struct {
		plan  func(*store.Tx) ([]string, error)
		index []string
	}{
		"roots":           {timings(roots, store.RunGroup{}), []string{place}},
		"roots of a time": {timings(window, store.RunGroup{}), []string{ofTime}},
		"roots by tag": {
			timings(roots, store.RunGroup{Labels: &store.LabelGroup{}}), []string{place, "PRIMARY KEY (run=? AND kind=? AND key=?)"},
		},
		"roots by what is below them": {
			timings(heavy, store.RunGroup{}), []string{place, "runs_of_trace (trace_id=? AND dotted_order>?)"},
		},
		"figures of a trace": {func(tx *store.Tx) ([]string, error) { return store.PlanFigures(tx, trace) }, []string{ofTrace}},
		"figures of roots":   {func(tx *store.Tx) ([]string, error) { return store.PlanFiguresOfTraces(tx, roots) }, []string{ofTrace, place}},
		"figures of a time":  {func(tx *store.Tx) ([]string, error) { return store.PlanFiguresOfTraces(tx, window) }, []string{ofTrace, ofTime}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text string
			do(t, s, func(tx *store.Tx) error {
				plan, err := tc.plan(tx)
				text = strings.Join(plan, "\n")
				return err
			})
			if strings.Contains(text, "SCAN") || strings.Contains(text, "run_bodies") {
				t.Errorf("the query scans a table or reads bodies:\n%s", text)
			}
			for _, index := range tc.index {
				if !strings.Contains(text, index) {
					t.Errorf("the query doesn't use the index %s:\n%s", index, text)
				}
			}
		})
	}
}
