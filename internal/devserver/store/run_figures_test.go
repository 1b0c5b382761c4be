package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

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
						devservertest.Same(t, fmt.Sprintf("%d groups %d of the newest %d runs of %+v", groups, i, newest, f), want, got[i], cmpopts.EquateEmpty())
					}
					return nil
				})
			}
		}
	}
}

// withTraces returns a store with a trace of three runs and one of a single run in project p1, and one in p2.
func withTraces(t *testing.T) *store.Store {
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
