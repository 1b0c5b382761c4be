package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// TestSearchTraces_unraced compares conditions on a root and on any run of a trace with and without an index. Each trace has a root, a child that
// starts a day later, and one in another project. Texts are in one trace, in some, and in all.
func TestSearchTraces_unraced(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, 0)
	addProject(t, s, "second")
	const all = 2 * addedRuns
	do(t, s, func(tx *Tx) error {
		for n := range all {
			root := searchedRunNumber(n)
			child, other := root, root
			child.ID, other.ID, other.ProjectID = root.ID+"-child", root.ID+"-other", "second"
			child.ParentRunID, other.ParentRunID = &root.ID, &root.ID
			child.StartTime = root.StartTime.Add(24 * time.Hour)
			for _, r := range []Run{root, child, other} {
				body := RunBody{Post: fmt.Appendf(nil, `{"inputs":"Text of %s, %d-%d."}`, strings.ReplaceAll(r.ID, "run-", "number-"), n, n%100), Patch: []byte("{}")}
				if err := tx.SaveRun(r, body, nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	search := func(text string) filter.Expr { return filter.Search{Text: text} }
	first := []string{"first"}
	questions := map[string]RunFilter{
		"a root":             {RootWhere: search("number-77,")},
		"a run":              {TreeWhere: search("number-77-other,")},
		"not a root":         {RootWhere: search("number-77-other,")},
		"in another project": {TreeWhere: search("number-77-other,"), ProjectIDs: first},
		"at another time":    {TreeWhere: search("number-77,"), ProjectIDs: first, From: new(indexedAt.Add(24 * time.Hour))},
		"none":               {TreeWhere: search("number-99999,")},
		"many":               {TreeWhere: search("-55."), ProjectIDs: first},
		"all":                {RootWhere: search("text of"), TreeWhere: search("-child"), ProjectIDs: first},
		"both":               {RootWhere: search("number-155,"), TreeWhere: search("number-155-child,")},
		"different ones":     {RootWhere: search("number-155,"), TreeWhere: search("number-156,")},
		"with another":       {Where: search("-other"), TreeWhere: search("number-77,")},
		"more than the text": {TreeWhere: filter.And{Terms: []filter.Expr{search("number-77"), filter.Compare{Op: filter.Equal, Field: filter.Name, Value: filter.Value{Text: new("run-776")}}}}},
	}
	found := func(f RunFilter) (ids []string) {
		t.Helper()
		f.WorkspaceID = "w"
		read(t, s, func(tx *Tx) error {
			runs, err := tx.Runs(f, false, nil, 100)
			for _, r := range runs {
				ids = append(ids, r.ID)
			}
			return err
		})
		return ids
	}
	want := map[string][]string{}
	for name, f := range questions {
		want[name] = found(f)
	}
	if got := want["a run"]; !slices.Equal(got, []string{"run-77-child", "run-77-other", "run-77"}) {
		t.Fatalf("without an index, the trace has the runs %v", got)
	}
	for index(t, s) {
	}
	for name, f := range questions {
		assert.Same(t, fmt.Sprintf("%s: with and without an index", name), want[name], found(f))
	}
	if _, is := s.backend.(*sqlite); !is {
		return // Plans are SQLite's.
	}
	for name, index := range map[string]string{"a root": "runs_of_trace", "in another project": "runs_of_trace", "none": "runs_of_trace", "all": "runs_by_time"} {
		f := questions[name]
		f.WorkspaceID = "w"
		read(t, s, func(tx *Tx) error {
			f, err := tx.narrow(f)
			if err != nil {
				return err
			}
			plan, err := Plan(tx, f, false, nil)
			if !strings.Contains(strings.Join(plan, "\n"), "SEARCH r USING INDEX "+index) {
				t.Errorf("%s: the plan is %q, want a look-up by %s", name, plan, index)
			}
			return err
		})
	}
}
