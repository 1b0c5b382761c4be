package store_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func TestProjectFilter(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	do(t, s, func(tx *store.Tx) error {
		return tx.EnsureProject(store.Project{ID: "p3", WorkspaceID: workspace, Name: "one more", StartTime: at, ReferenceDatasetID: new("d1")})
	})
	for name, tc := range map[string]struct {
		filter store.ProjectFilter
		want   []string // Newest first.
	}{
		"all":             {store.ProjectFilter{}, []string{"p3", "p2", "p1"}},
		"name":            {store.ProjectFilter{Name: new("one")}, []string{"p1"}},
		"part of a name":  {store.ProjectFilter{NameContains: new("one")}, []string{"p3", "p1"}},
		"ids":             {store.ProjectFilter{IDs: []string{"p1", "p2", "p9"}}, []string{"p2", "p1"}},
		"no ids":          {store.ProjectFilter{IDs: []string{}}, nil},
		"of no dataset":   {store.ProjectFilter{ReferenceFree: new(true)}, []string{"p2", "p1"}},
		"of any dataset":  {store.ProjectFilter{ReferenceFree: new(false)}, []string{"p3"}},
		"of one dataset":  {store.ProjectFilter{ReferenceDatasetIDs: []string{"d1"}}, []string{"p3"}},
		"two conditions":  {store.ProjectFilter{NameContains: new("one"), ReferenceFree: new(true)}, []string{"p1"}},
		"another dataset": {store.ProjectFilter{ReferenceDatasetIDs: []string{"d2"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ids []string
			do(t, s, func(tx *store.Tx) error {
				found, err := tx.Projects(workspace, tc.filter)
				for _, p := range found {
					ids = append(ids, p.ID)
				}
				return err
			})
			if diff := cmp.Diff(tc.want, ids, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestChangeProjects checks that a workspace can change only its own projects.
func TestChangeProjects(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	p := store.Project{ID: "p1", WorkspaceID: workspace, Name: "renamed", StartTime: at, EndTime: &at, Description: new("d"), Extra: new("{}")}
	do(t, s, func(tx *store.Tx) error {
		if err := tx.UpdateProject(p); err != nil {
			return err
		}
		got, err := tx.Project(workspace, "p1")
		if diff := cmp.Diff(p, got); diff != "" {
			t.Error(diff)
		}
		p.WorkspaceID = "another"
		if err := tx.UpdateProject(p); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("update from another workspace: error = %v, want ErrNotFound", err)
		}
		if err := tx.DeleteProject("another", "p1"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("deletion from another workspace: error = %v, want ErrNotFound", err)
		}
		_, again := tx.Project(workspace, "p1")
		return errors.Join(err, again)
	})
}
