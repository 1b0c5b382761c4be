package store

import (
	"errors"
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

// TestLabelledTraces_unraced looks for traces with a run that has a metadata entry: one that few runs have, whose traces are looked up, one that many
// have, and one that none has. The runs may be in another project.
func TestLabelledTraces_unraced(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, 0)
	addProject(t, s, "second")
	const all = maxLabelled + 1
	entry := func(value string) Label { return Label{Kind: Metadata, Key: ModelKey, Value: value} }
	do(t, s, func(tx *Tx) error {
		for n := range all {
			root := searchedRunNumber(n)
			runs := map[*Run][]Label{&root: {entry("common")}}
			if n%8000 == 0 {
				child := root
				child.ID, child.ProjectID, child.ParentRunID = root.ID+"-child", "second", &root.ID
				runs[&child] = []Label{entry("rare"), {Kind: Metadata, Key: "other", Value: "common"}}
			}
			for r, labels := range runs {
				if err := tx.SaveRun(*r, RunBody{Post: []byte("{}"), Patch: []byte("{}")}, labels); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for text, want := range map[string]struct {
		lookedUp bool
		tree     []string
		root     int
	}{
		`and(eq(metadata_key, "ls_model_name"), eq(metadata_value, "rare"))`:                                   {true, []string{"run-32000", "run-24000", "run-16000", "run-8000", "run-0"}, 0},
		`and(lt(start_time, "2026-05-02T10:00:01Z"), eq(metadata_key, "other"), eq(metadata_value, "common"))`: {true, []string{"run-0"}, 0},
		`and(eq(metadata_key, "ls_model_name"), eq(metadata_value, "none"))`:                                   {true, nil, 0},
		`and(eq(metadata_key, "ls_model_name"), eq(metadata_value, "common"))`:                                 {false, nil, all},
		`or(eq(metadata_value, "rare"), eq(metadata_value, "none"))`:                                           {false, []string{"run-32000", "run-24000", "run-16000", "run-8000", "run-0"}, 0},
		`and(eq(metadata_key, "ls_model_name"), neq(metadata_value, "common"))`:                                {false, []string{"run-32000", "run-24000", "run-16000", "run-8000", "run-0"}, 0},
	} {
		e, err := filter.Parse(text)
		must(t, err)
		tree, root := RunFilter{WorkspaceID: "w", ProjectIDs: []string{"first"}, TreeWhere: e}, RunFilter{WorkspaceID: "w", ProjectIDs: []string{"first"}, RootWhere: e}
		read(t, s, func(tx *Tx) error {
			narrowed, err := tx.narrow(tree)
			if narrowed.traces.known != want.lookedUp {
				t.Errorf("%s: traces are looked up: %v, want %v", text, narrowed.traces.known, want.lookedUp)
			}
			found, failed := tx.Runs(tree, false, nil, 2*all)
			if err := errors.Join(err, failed); err != nil {
				return err
			}
			var ids []string
			for _, r := range found {
				ids = append(ids, r.ID)
			}
			if want.root < all {
				assert.Same(t, "traces with "+text, want.tree, ids)
			} else if len(ids) != all {
				t.Errorf("%d traces have %s, want all %d", len(ids), text, all)
			}
			found, err = tx.Runs(root, false, nil, 2*all)
			if len(found) != want.root {
				t.Errorf("%d roots have %s, want %d", len(found), text, want.root)
			}
			return err
		})
	}
}
