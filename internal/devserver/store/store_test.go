package store_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

const workspace = "w1"

var at = time.Date(2026, 5, 2, 10, 0, 0, 123456000, time.UTC)

func open(t *testing.T, path string) *store.Store {
	t.Helper()
	if path == "" {
		path = store.Data(t)
	}
	s, err := store.Open(t.Context(), path)
	devservertest.Must(t, err)
	t.Cleanup(func() {
		store.CheckChanges(t, s)
		_ = s.Close()
	})
	return s
}

// do runs work in a transaction, which must succeed.
func do(t *testing.T, s *store.Store, work func(*store.Tx) error) {
	t.Helper()
	devservertest.Must(t, s.Do(t.Context(), work))
}

// read runs work in a transaction that only reads, which must succeed.
func read(t *testing.T, s *store.Store, work func(*store.Tx) error) {
	t.Helper()
	devservertest.Must(t, s.Read(t.Context(), work))
}

func sweepAll(t *testing.T, s *store.Store) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func deployment(name string) store.Deployment {
	return store.Deployment{
		ID: "d-" + name, WorkspaceID: workspace, Name: name, Source: "s", Status: "NEW",
		CreatedAt: at, UpdatedAt: at,
	}
}

func revision(id, deploymentID string) store.Revision {
	return store.Revision{
		ID: id, DeploymentID: deploymentID, Source: "s", Status: "NEW", Rollout: 3 * time.Second, CreatedAt: at, UpdatedAt: at,
	}
}

func insert(t *testing.T, s *store.Store, d store.Deployment) {
	t.Helper()
	do(t, s, func(tx *store.Tx) error {
		return errors.Join(tx.InsertDeployment(d), tx.InsertRevision(revision("r-"+d.Name, d.ID)))
	})
}

func TestOpenSetsUpTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b%20?#.db")
	first := open(t, path)
	insert(t, first, deployment("kept"))
	info, err := os.Stat(path)
	devservertest.Must(t, err)
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("mode = %o, want 600: the file contains secrets", mode)
	}
	devservertest.Must(t, first.Close())
	do(t, open(t, path), func(tx *store.Tx) error {
		got, err := tx.Deployment(workspace, "d-kept")
		if got.Name != "kept" {
			t.Errorf("found %+v, want the name kept", got)
		}
		return err
	})
}

func TestPragmas(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	do(t, s, func(tx *store.Tx) error {
		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000",
		} {
			got, err := store.Pragma(tx, pragma)
			if err != nil {
				return err
			}
			devservertest.Same(t, "pragma "+pragma, want, got)
		}
		return nil
	})
}

func TestOpenRefusesANewerSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	devservertest.Must(t, open(t, path).Close())
	db, err := sql.Open("sqlite", path)
	devservertest.Must(t, err)
	if _, err := db.ExecContext(t.Context(), "PRAGMA user_version = 1000"); err != nil {
		t.Fatal(err)
	}
	devservertest.Must(t, db.Close())
	_, err = store.Open(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), "the schema version 1000 is newer than") ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("error = %v, want one with the version and the path", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	if _, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "no", "x.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a missing directory: error = %v, want fs.ErrNotExist", err)
	}
	if _, err := store.Open(t.Context(), t.TempDir()); err == nil {
		t.Error("opening a directory: error = nil, want one")
	}
}

func TestDo(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	failure := errors.New("failed")
	err := s.Do(t.Context(), func(tx *store.Tx) error {
		if err := tx.InsertDeployment(deployment("gone")); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("Do = %v, want the error of the work", err)
	}
	insert(t, s, deployment("gone")) // The name is available again.

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Do(cancelled, func(*store.Tx) error { t.Error("work began"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Do = %v, want context.Canceled", err)
	}
	during, stop := context.WithCancel(t.Context())
	if err := s.Do(during, func(tx *store.Tx) error {
		stop()
		return tx.DeleteDeployment(workspace, "d-gone")
	}); err != nil {
		t.Errorf("work whose client disconnects: error = %v, want it to finish", err)
	}
	devservertest.Must(t, s.Close())
	if err := s.Do(t.Context(), func(*store.Tx) error { return nil }); err == nil {
		t.Error("Do on a closed store: error = nil, want one")
	}
}

func TestDeploymentRoundTrip(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	want := store.Deployment{
		ID: "d", WorkspaceID: workspace, Name: "n", Source: "s",
		IntegrationID: new("i"), RepoURL: new("u"), DeploymentType: new("t"), BuildOnPush: new(true), CustomURL: new("c"),
		ResourceSpec: new(`{"cpu":1}`), ListenerID: new("l"), K8sNamespace: new("k"), InstallCommand: new("ic"),
		BuildCommand: new("bc"), SealedSecrets: []byte("sealed"), Status: "NEW", DueAt: new(at.Add(time.Second)),
		DisplayName: new("N"), SecretReferences: new(`[{"name":"B"}]`), Shareable: true, TemplateID: new("t"),
		GraphConfigPath: new("g"), CreatedAt: at, UpdatedAt: at,
	}
	want.Latest = store.Revision{
		ID: "r", DeploymentID: "d", Source: "s", RepoRef: new("main"), GraphConfigPath: new("g"), ImageURI: new("i"),
		RepoCommitSHA: new("sha"), ImageVersion: new("1"), SourceTarballPath: new("a.tar.gz"), Status: "NEW", StatusMessage: new("m"), Rollout: 3 * time.Second,
		Fault: new("{}"), CreatedAt: at, UpdatedAt: at,
	}
	do(t, s, func(tx *store.Tx) error {
		return errors.Join(
			tx.InsertIntegration(store.Integration{ID: "i", WorkspaceID: workspace, InstallationID: 7, Name: "a"}),
			tx.InsertListener(store.Listener{ID: "l", WorkspaceID: workspace, ComputeID: "c", CreatedAt: at, UpdatedAt: at}),
			tx.InsertDeployment(want), tx.InsertRevision(want.Latest))
	})
	check := func(step string) {
		t.Helper()
		do(t, s, func(tx *store.Tx) error {
			byID, err := tx.Deployment(workspace, "d")
			byName, errNamed := tx.DeploymentNamed(workspace, "n")
			devservertest.Same(t, step, []store.Deployment{want, want}, []store.Deployment{byID, byName})
			return errors.Join(err, errNamed)
		})
	}
	check("inserted")

	later := at.Add(time.Minute)
	want.BuildOnPush, want.CustomURL, want.ResourceSpec = new(false), nil, nil
	want.InstallCommand, want.BuildCommand, want.SealedSecrets = nil, new(""), nil
	want.DisplayName, want.SecretReferences, want.GraphConfigPath = new("M"), new("[]"), nil
	want.Status, want.DueAt, want.UpdatedAt = "OLD", nil, later
	r := &want.Latest
	r.Status, r.StatusMessage, r.UpdatedAt, r.FinishedAt, r.DeployedAt = "DONE", nil, later, &later, &later
	want.ActiveRevisionID, want.ActiveSince, want.ImageVersion = &r.ID, &later, r.ImageVersion
	want.ActiveImageURI, want.ActiveRepoRef, want.ActiveCommitSHA = r.ImageURI, r.RepoRef, r.RepoCommitSHA
	do(t, s, func(tx *store.Tx) error { return errors.Join(tx.UpdateDeployment(want), tx.UpdateRevision(*r)) })
	check("updated")

	do(t, s, func(tx *store.Tx) error { return tx.TouchDeployment("d", at) })
	check("touched with an older time")
	want.UpdatedAt = later.Add(time.Hour)
	do(t, s, func(tx *store.Tx) error { return tx.TouchDeployment("d", want.UpdatedAt) })
	check("touched")

	do(t, s, func(tx *store.Tx) error {
		if err := tx.DeleteDeployment(workspace, "d"); err != nil {
			return err
		}
		if _, err := tx.Deployment(workspace, "d"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("deleted deployment: error = %v, want ErrNotFound", err)
		}
		return tx.InsertDeployment(want) // Fails unless its revision is deleted, too, because of the same ID.
	})
	do(t, s, func(tx *store.Tx) error { return tx.InsertRevision(want.Latest) })
}

func ids(revisions []store.Revision) []string {
	list := make([]string, len(revisions))
	for i, r := range revisions {
		list[i] = r.ID
	}
	return list
}

// TestRevisions checks which revisions are superseded, and which are due.
func TestRevisions(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	insert(t, s, deployment("a"))
	finished := revision("r2", "d-a")
	finished.CreatedAt = at.Add(time.Second)
	do(t, s, func(tx *store.Tx) error {
		if err := tx.InsertRevision(finished); err != nil {
			return err
		}
		finished.FinishedAt = new(at.Add(time.Minute))
		return tx.UpdateRevision(finished)
	})
	newest := revision("r3", "d-a")
	newest.CreatedAt, newest.Status = at.Add(time.Hour), "LAST"
	do(t, s, func(tx *store.Tx) error { return tx.InsertRevision(newest) })

	do(t, s, func(tx *store.Tx) error {
		oldest, err := tx.Revision(workspace, "d-a", "r-a")
		if err != nil {
			return err
		}
		devservertest.Same(t, "superseded by the first successor", &finished.CreatedAt, oldest.SupersededAt)
		if got, err := tx.Revision(workspace, "d-a", "r2"); err != nil || got.SupersededAt != nil {
			t.Errorf("finished revision = %+v, %v; want it not superseded", got, err)
		}
		due, err := tx.RevisionsDue(at.Add(time.Second)) // When it was superseded.
		if diff := cmp.Diff([]string{"r-a"}, ids(due)); diff != "" || err != nil {
			t.Errorf("due: error = %v (-want +got):\n%s", err, diff)
		}
		return tx.MakeRevisionsDue()
	})
	do(t, s, func(tx *store.Tx) error {
		for after, want := range map[time.Duration][]string{-time.Second: {}, time.Minute: {"r-a"}, time.Hour: {"r-a", "r3"}} {
			due, err := tx.RevisionsDue(at.Add(after))
			if diff := cmp.Diff(want, ids(due)); diff != "" || err != nil {
				t.Errorf("due after %s, of those without an end: error = %v (-want +got):\n%s", after, err, diff)
			}
		}
		return nil
	})
}

// TestFullDisk checks that a write that fails because the disk is full returns ErrFull and stores nothing, and succeeds once there is space. A
// small write finds out which.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "plane.db"))
	large := store.Listener{ID: "l1", WorkspaceID: workspace, ComputeType: "k8s", ComputeID: strings.Repeat("x", 1<<20), CreatedAt: at, UpdatedAt: at}
	insert := func(tx *store.Tx) error { return tx.InsertListener(large) }
	do(t, s, func(tx *store.Tx) error { return store.LimitPages(tx, 1) }) // What it has.
	if s.Full() {
		t.Error("the disk is full before anything was written")
	}
	for name, write := range map[string]func(context.Context, func(*store.Tx) error) error{"alone": s.Do, "grouped": grouped(s)} {
		if err := write(t.Context(), insert); !errors.Is(err, store.ErrFull) {
			t.Errorf("%s: error = %v, want ErrFull", name, err)
		}
	}
	if err := s.TryWrite(t.Context()); !errors.Is(err, store.ErrFull) || !s.Full() {
		t.Errorf("a small write: error = %v, full = %v; want ErrFull, and that it stays full", err, s.Full())
	}
	do(t, s, func(tx *store.Tx) error {
		if _, err := tx.Listener(workspace, "l1"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("listener after the failed write: error = %v, want ErrNotFound", err)
		}
		return store.LimitPages(tx, 0)
	})
	do(t, s, insert)
	if !s.Full() {
		t.Error("the disk isn't full before a small write")
	}
	if err := s.TryWrite(t.Context()); err != nil || s.Full() {
		t.Errorf("a small write: error = %v, full = %v; want neither", err, s.Full())
	}
}

// TestTryWrite checks that a small write leaves nothing.
func TestTryWrite(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	before := s.Commits()
	devservertest.Must(t, s.TryWrite(t.Context()))
	do(t, s, func(tx *store.Tx) error {
		if _, err := tx.RepoHead("", "", ""); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("error = %v, want ErrNotFound", err)
		}
		return nil
	})
	if after := s.Commits(); after != before {
		t.Errorf("%d commits, want %d", after, before)
	}
}

// grouped is DoGrouped for work of which nothing is known.
func grouped(s *store.Store) func(context.Context, func(*store.Tx) error) error {
	return func(ctx context.Context, work func(*store.Tx) error) error {
		return s.DoGrouped(ctx, store.Expected{}, work)
	}
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	insert(t, s, deployment("taken"))
	for name, work := range map[string]func(*store.Tx) error{
		"name twice": func(tx *store.Tx) error {
			d := deployment("taken")
			d.ID = "other"
			return tx.InsertDeployment(d)
		},
		"unknown integration": func(tx *store.Tx) error {
			d := deployment("free")
			d.IntegrationID = new("i")
			return tx.InsertDeployment(d)
		},
		"unknown deployment": func(tx *store.Tx) error { return tx.InsertRevision(revision("r", "d")) },
		"compute twice": func(tx *store.Tx) error {
			return errors.Join(
				tx.InsertListener(store.Listener{ID: "1", WorkspaceID: workspace, ComputeID: "c"}),
				tx.InsertListener(store.Listener{ID: "2", WorkspaceID: workspace, ComputeID: "c"}))
		},
		"repository of no integration": func(tx *store.Tx) error {
			return tx.InsertRepository(store.Repository{IntegrationID: "i"})
		},
		"provider twice": func(tx *store.Tx) error {
			return errors.Join(
				tx.InsertOAuthProvider(store.OAuthProvider{ID: "1", WorkspaceID: workspace, ProviderID: "p"}),
				tx.InsertOAuthProvider(store.OAuthProvider{ID: "2", WorkspaceID: workspace, ProviderID: "p"}))
		},
		"deletion of a listener in use": func(tx *store.Tx) error {
			d := deployment("placed")
			d.ListenerID = new("l")
			return errors.Join(
				tx.InsertListener(store.Listener{ID: "l", WorkspaceID: workspace, ComputeID: "l"}),
				tx.InsertDeployment(d), tx.DeleteListener(workspace, "l"))
		},
		"update of no listener":   func(tx *store.Tx) error { return tx.UpdateListener(store.Listener{ID: "none"}) },
		"deletion of no listener": func(tx *store.Tx) error { return tx.DeleteListener(workspace, "none") },
		"update of no provider":   func(tx *store.Tx) error { return tx.UpdateOAuthProvider(store.OAuthProvider{}) },
		"deletion of no provider": func(tx *store.Tx) error { return tx.DeleteOAuthProvider(workspace, "none") },
		"update of another workspace": func(tx *store.Tx) error {
			d := deployment("taken")
			d.WorkspaceID = "w2"
			return tx.UpdateDeployment(d)
		},
		"deletion of another workspace": func(tx *store.Tx) error { return tx.DeleteDeployment("w2", "d-taken") },
		"update of nothing":             func(tx *store.Tx) error { return tx.UpdateRevision(revision("none", "d-taken")) },
		"touch of nothing":              func(tx *store.Tx) error { return tx.TouchDeployment("none", at) },
	} {
		if err := s.Do(t.Context(), work); err == nil {
			t.Errorf("%s: error = nil, want one", name)
		}
	}
}
