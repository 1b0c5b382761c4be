package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestPooler lets two processes use a database through a connection pooler, which gives each transaction another connection: with the settings
// of transactions and without notifications, and so that whoever has the connections next finds nothing of them.
func TestPooler(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	address, err := server.Pool(t.Context(), "postgres")
	devservertest.Must(t, err)
	a, b := open(t, address), open(t, address)
	const writers, each = 6, 10
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			for i := range each {
				s := []*store.Store{a, b}[(writer+i)%2]
				if err := addProjectTo(t.Context(), s, fmt.Sprintf("%d-%d", writer, i)); err != nil {
					t.Error(err)
				}
				if err := s.Read(t.Context(), func(tx *store.Tx) error { _, err := tx.Projects(workspace, store.ProjectFilter{}); return err }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, s := range []*store.Store{a, b} {
		devservertest.Must(t, s.Read(t.Context(), func(tx *store.Tx) error {
			projects, err := tx.Projects(workspace, store.ProjectFilter{})
			if len(projects) != writers*each {
				t.Errorf("%d projects, want %d", len(projects), writers*each)
			}
			return err
		}))
	}
	do(t, a, func(tx *store.Tx) error {
		for name, want := range map[string]string{"enable_seqscan": "off", "lock_timeout": "40s", "idle_in_transaction_session_timeout": "20s"} {
			if got, err := store.Setting(tx, name); err != nil || got != want {
				t.Errorf("%s = %q in a transaction that writes, want %s: %v", name, got, want, err)
			}
		}
		return nil
	})
	devservertest.Must(t, addProjectTo(t.Context(), a, "last"))
	for began := time.Now(); b.Commits() != a.Commits(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("a process doesn't learn of what another one has written")
		}
	}
	devservertest.Must(t, a.Close())
	devservertest.Must(t, b.Close())
	for range postgrestest.PoolSize {
		checkUntouched(t, address)
	}
}

// checkUntouched looks at a connection of the pooler, and keeps it until the test ends.
func checkUntouched(t *testing.T, address string) {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	devservertest.Must(t, err)
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	connection, err := pgx.ConnectConfig(t.Context(), config)
	devservertest.Must(t, err)
	t.Cleanup(func() { _ = connection.PgConn().Conn().Close() })
	tx, err := connection.Begin(t.Context())
	devservertest.Must(t, err)
	type state struct {
		Scan, Jit, Commit, Lock, Idle string
		Statements, Channels          int64
	}
	var found state
	row := tx.QueryRow(t.Context(), `SELECT current_setting('enable_seqscan'), current_setting('jit'), current_setting('synchronous_commit'),
		current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout'), (SELECT count(*) FROM pg_prepared_statements),
		(SELECT count(*) FROM pg_listening_channels())`)
	devservertest.Must(t, row.Scan(&found.Scan, &found.Jit, &found.Commit, &found.Lock, &found.Idle, &found.Statements, &found.Channels))
	devservertest.Same(t, "what is left in a connection", state{Scan: "on", Jit: "on", Commit: "on", Lock: "0", Idle: "0"}, found)
}

// TestPoolerCancels ends many statements by their contexts. The pooler must survive that, and the connections be usable.
func TestPoolerCancels(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	address, err := server.Pool(t.Context(), "postgres")
	devservertest.Must(t, err)
	s := open(t, address)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 10 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
				err := s.Read(ctx, store.Sleep)
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error = %v, want that of the context", err)
				}
				if err := s.Read(t.Context(), func(tx *store.Tx) error { _, err := store.Setting(tx, "jit"); return err }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// TestPoolerRefusesCopy checks that a copy, which locks the database for more than a transaction, says that it can't go through a pooler.
func TestPoolerRefusesCopy(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	address, err := server.Pool(t.Context(), "postgres")
	devservertest.Must(t, err)
	path := filepath.Join(t.TempDir(), "plane.db")
	devservertest.Must(t, open(t, path).Close())
	err = store.Copy(t.Context(), path, address, func() error { return nil }, func(store.Copied) {})
	if err == nil || !strings.Contains(err.Error(), "use the address of PostgreSQL itself") {
		t.Errorf("error = %v, want the remedy", err)
	}
}
