package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestSavedViews checks that views belong to a user and a project, and that a name is there once.
func TestSavedViews(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	do(t, s, func(tx *store.Tx) error {
		for _, v := range []struct{ project, user, name, query string }{
			{"p1", "ada", "b", "q=1"}, {"p1", "ada", "a", "q=2"}, {"p1", "ada", "b", "q=3"}, {"p1", "bob", "b", "q=4"}, {"p2", "ada", "b", "q=5"}, {"p9", "ada", "b", "q=6"},
		} {
			if err := tx.SaveView(workspace, v.project, v.user, store.SavedView{Name: v.name, Query: v.query}); err != nil {
				return err
			}
		}
		return tx.DeleteView(workspace, "p2", "ada", "b")
	})
	for _, tc := range []struct {
		workspace, project, user string
		want                     []store.SavedView
	}{
		{workspace, "p1", "ada", []store.SavedView{{Name: "a", Query: "q=2"}, {Name: "b", Query: "q=3"}}}, {workspace, "p1", "bob", []store.SavedView{{Name: "b", Query: "q=4"}}},
		{workspace, "p2", "ada", nil}, {workspace, "p9", "ada", nil}, {"w2", "p1", "ada", nil},
	} {
		do(t, s, func(tx *store.Tx) error {
			got, err := tx.SavedViews(tc.workspace, tc.project, tc.user)
			if diff := cmp.Diff(tc.want, got); len(tc.want)+len(got) > 0 && diff != "" {
				t.Errorf("views of %s in %s of %s (-want +got):\n%s", tc.user, tc.project, tc.workspace, diff)
			}
			return err
		})
	}
}
