package store_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

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
