package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// lagBehind returns a store whose transactions commit one second after another, and what shows it up to an hour late.
func lagBehind(t *testing.T, path string) (*store.Store, *store.Lagging) {
	t.Helper()
	s, now := open(t, path), at
	lagging, err := s.Lagging(t.Context(), func() time.Time {
		now = now.Add(time.Second)
		return now
	}, time.Hour)
	devservertest.Must(t, err)
	return s, lagging
}

// names lists the deployments that are shown of a time, by name.
func names(t *testing.T, lagging *store.Lagging, then time.Time) []string {
	t.Helper()
	found := []string{}
	devservertest.Must(t, lagging.Do(t.Context(), then, func(tx *store.Tx) error {
		rows, err := tx.Deployments(workspace, store.DeploymentFilter{}, store.Page{Limit: 100})
		for _, row := range rows {
			found = append(found, row.Name)
		}
		return err
	}))
	slices.Sort(found)
	return found
}

func TestLagging(t *testing.T) {
	t.Parallel()
	s, lagging := lagBehind(t, "")
	insert(t, s, deployment("a"))
	insert(t, s, deployment("b"))
	do(t, s, func(tx *store.Tx) error { return tx.DeleteDeployment(workspace, "d-a") })
	insert(t, s, deployment("a"))
	for i, want := range [][]string{{}, {"a"}, {"a", "b"}, {"b"}, {"a", "b"}, {"a", "b"}} {
		devservertest.Same(t, fmt.Sprintf("after %d seconds", i), want, names(t, lagging, at.Add(time.Duration(i)*time.Second)))
	}
}

// TestLaggingOfFailures checks that only what was committed is copied.
func TestLaggingOfFailures(t *testing.T) {
	t.Parallel()
	s, lagging := lagBehind(t, "")
	failure := errors.New("refused")
	if err := s.Do(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.InsertDeployment(deployment("rolled-back")), failure)
	}); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"kept": nil, "dropped": failure} {
		if err := s.DoGrouped(t.Context(), store.Expected{}, func(tx *store.Tx) error {
			return errors.Join(tx.InsertDeployment(deployment(name)), want)
		}); !errors.Is(err, want) {
			t.Fatal(err)
		}
	}
	do(t, s, func(tx *store.Tx) error {
		if err := tx.UpdateDeployment(deployment("missing")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("error = %v, want not found", err)
		}
		return tx.InsertDeployment(deployment("after"))
	})
	devservertest.Same(t, "deployments", []string{"after", "kept"}, names(t, lagging, at.Add(time.Hour)))
}

// TestLaggingOfFile checks that it begins with the rows of the file, in every table, and that later rows may refer to them.
func TestLaggingOfFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b%20?#.db")
	first := open(t, path)
	do(t, first, func(tx *store.Tx) error {
		return errors.Join(
			tx.InsertListener(store.Listener{ID: "l", WorkspaceID: workspace, ComputeType: "k8s", ComputeID: "c", CreatedAt: at, UpdatedAt: at}),
			tx.InsertIntegration(store.Integration{ID: "i", WorkspaceID: workspace, Name: "i"}),
			tx.InsertRepository(store.Repository{IntegrationID: "i", Owner: "i", Name: "r", URL: "u", DefaultBranch: "main"}),
			tx.EnsureProject(store.Project{ID: "p", WorkspaceID: workspace, Name: "p", StartTime: at}),
		)
	})
	kept := deployment("kept")
	kept.ListenerID, kept.IntegrationID = new("l"), new("i")
	insert(t, first, kept)
	devservertest.Must(t, first.Close())
	s, lagging := lagBehind(t, path)
	added := kept
	added.ID, added.Name = "d-added", "added"
	insert(t, s, added)
	devservertest.Same(t, "deployments at first", []string{"kept"}, names(t, lagging, at))
	devservertest.Same(t, "deployments", []string{"added", "kept"}, names(t, lagging, at.Add(time.Second)))
	err := lagging.Do(t.Context(), at.Add(time.Second), func(tx *store.Tx) error {
		_, listener := tx.Listener(workspace, "l")
		_, project := tx.ProjectNamed(workspace, "p")
		_, revision := tx.Revision(workspace, "d-kept", "r-kept")
		repositories, err := tx.Repositories(workspace, "i")
		if len(repositories) != 1 {
			t.Errorf("repositories = %v, want one", repositories)
		}
		return errors.Join(listener, project, revision, err)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLaggingProjects checks that a deleted project isn't shown, whatever the number of its row.
func TestLaggingProjects(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	ensure := func(s *store.Store, id string) {
		t.Helper()
		do(t, s, func(tx *store.Tx) error {
			return tx.EnsureProject(store.Project{ID: id, WorkspaceID: workspace, Name: id, StartTime: at})
		})
	}
	remove := func(s *store.Store, id string) {
		t.Helper()
		do(t, s, func(tx *store.Tx) error { return tx.DeleteProject(workspace, id) })
	}
	first := open(t, path)
	ensure(first, "p1")
	ensure(first, "p2")
	remove(first, "p2")
	devservertest.Must(t, first.Close())
	s := open(t, path)
	lagging, err := s.Lagging(t.Context(), func() time.Time { return at }, time.Hour)
	devservertest.Must(t, err)
	ensure(s, "p3")
	ensure(s, "p4")
	remove(s, "p3")
	devservertest.Must(t, lagging.Do(t.Context(), at, func(tx *store.Tx) error {
		var ids []string
		found, err := tx.Projects(workspace, store.ProjectFilter{})
		for _, p := range found {
			ids = append(ids, p.ID)
		}
		devservertest.Same(t, "projects that are shown", []string{"p4", "p1"}, ids)
		return err
	}))
}
