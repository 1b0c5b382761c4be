package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// inWorkspace returns what DoGrouped needs to know of work in a workspace.
func inWorkspace(id string) store.Expected { return store.Expected{WorkspaceID: id} }

// TestPeersShareWorkspaces stops a process while it logs runs. Others log those of another workspace meanwhile, and wait in the same
// workspace, as does everything else that is written.
func TestPeersShareWorkspaces(t *testing.T) {
	t.Parallel()
	address, all := peers(t, 4)
	for _, s := range all {
		s.StopIndexing() // It writes, too.
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	started, end := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	var writers sync.WaitGroup
	writers.Go(func() {
		if err := all[0].DoGrouped(ctx, inWorkspace("a"), func(*store.Tx) error {
			close(started)
			<-end
			ended.Store(true)
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-started
	for range 3 {
		if err := all[1].DoGrouped(ctx, inWorkspace("b"), func(tx *store.Tx) error {
			return tx.EnsureProject(store.Project{ID: "b", WorkspaceID: "b", Name: "b", StartTime: at})
		}); err != nil {
			t.Fatalf("another workspace: %v", err)
		}
	}
	after := func(*store.Tx) error {
		if !ended.Load() {
			return errors.New("a transaction began before the one that it must wait for had ended")
		}
		return nil
	}
	writers.Go(func() {
		if err := all[2].DoGrouped(ctx, inWorkspace("a"), after); err != nil {
			t.Errorf("the same workspace: %v", err)
		}
	})
	writers.Go(func() {
		if err := all[3].Do(ctx, after); err != nil {
			t.Errorf("any workspace: %v", err)
		}
	})
	admin, err := pgx.Connect(ctx, address)
	devservertest.Must(t, err)
	defer admin.Close(t.Context())
	for waiting := 0; waiting < 2; {
		devservertest.Must(t, admin.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND "+
			"database = (SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&waiting))
	}
	close(end)
	writers.Wait()
}

// TestPeersNumbersOfWorkspaces lets processes write to workspaces at the same time, first to one and then to several in a transaction. The
// number of each snapshot must say how many transactions it contains.
func TestPeersNumbersOfWorkspaces(t *testing.T) {
	t.Parallel()
	const each, workspaces = 60, 3
	_, all := peers(t, 3)
	count := func(s *store.Store) (number int64, projects int, err error) {
		err = s.Read(t.Context(), func(tx *store.Tx) error {
			number, projects = tx.Snapshot(), 0
			for w := range workspaces {
				found, err := tx.Projects(fmt.Sprint("w", w), store.ProjectFilter{})
				if err != nil {
					return err
				}
				projects += len(found)
			}
			return nil
		})
		return number, projects, err
	}
	add := func(s *store.Store, id string, w int) error {
		of := fmt.Sprint("w", w%workspaces)
		return s.DoGrouped(t.Context(), inWorkspace(of), func(tx *store.Tx) error {
			return tx.EnsureProject(store.Project{ID: id, WorkspaceID: of, Name: id, StartTime: at})
		})
	}
	first, _, err := count(all[0])
	devservertest.Must(t, err)
	var writers sync.WaitGroup
	for p, s := range all {
		writers.Go(func() {
			for n := range each { // One after the other, so that no transaction has several.
				if err := add(s, fmt.Sprintf("p%d-%d", p, n), p+n); err != nil {
					t.Error(err)
				}
				if number, projects, err := count(s); err != nil || number != first+int64(projects) {
					t.Errorf("snapshot %d has %d projects after %d of none, %v", number, projects, first, err)
				}
			}
		})
	}
	writers.Wait()
	for p, s := range all {
		for w := range 2 * workspaces {
			writers.Go(func() {
				for n := range each / 2 {
					if err := add(s, fmt.Sprintf("p%d-%d-%d", p, w, n), w); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	writers.Wait()
	want := len(all) * (1 + workspaces) * each
	for i, s := range all {
		if number, projects, err := count(s); err != nil || projects != want || number > first+int64(projects) {
			t.Errorf("process %d sees %d projects at %d after %d, %v; want %d", i, projects, number, first, err, want)
		}
	}
}
