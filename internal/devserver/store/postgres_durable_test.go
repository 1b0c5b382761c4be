package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// administer returns a function that runs statements as the administrator of a server.
func administer(t *testing.T, server *postgrestest.Server) func(statement string) {
	t.Helper()
	admin, err := pgx.Connect(t.Context(), server.Address("postgres"))
	devservertest.Must(t, err)
	t.Cleanup(func() { _ = admin.PgConn().Conn().Close() })
	return func(statement string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// awaitSetting waits until new connections to a database have a setting.
func awaitSetting(t *testing.T, address, name, want string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		connection, err := pgx.Connect(t.Context(), address)
		devservertest.Must(t, err)
		var got string
		err = connection.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&got)
		_ = connection.Close(t.Context())
		switch {
		case err != nil:
			t.Fatal(err)
		case got == want:
			return
		case time.Since(began) > time.Minute:
			t.Fatalf("%s = %s, want %s", name, got, want)
		}
	}
}

// wantCommit checks how commits of transactions that write wait.
func wantCommit(t *testing.T, s *store.Store, want string) {
	t.Helper()
	do(t, s, func(tx *store.Tx) error {
		if got, err := store.Setting(tx, "synchronous_commit"); err != nil || got != want {
			t.Errorf("synchronous_commit = %q in a transaction that writes, want %s: %v", got, want, err)
		}
		return nil
	})
}

// TestCommitsWait checks that transactions that write wait for the disk whatever a database or a role says, unless it says how to wait.
func TestCommitsWait(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	admin := administer(t, server)
	if _, err := server.Pool(t.Context(), "postgres"); err != nil {
		t.Fatal(err)
	}
	databases := 0
	for _, tc := range []struct{ change, set, want string }{
		{"ROLE postgres IN DATABASE %s", "off", "on"}, {"DATABASE %s", "off", "on"}, {"DATABASE %s", "on", "on"},
		{"DATABASE %s", "local", "local"}, {"DATABASE %s", "remote_write", "remote_write"}, {"DATABASE %s", "remote_apply", "remote_apply"},
	} {
		databases++
		name := fmt.Sprintf("durable%d", databases)
		admin("CREATE DATABASE " + name + " ENCODING 'UTF8' TEMPLATE template0")
		admin("ALTER " + fmt.Sprintf(tc.change, name) + " SET synchronous_commit = " + tc.set)
		pooled, err := server.Pool(t.Context(), name)
		devservertest.Must(t, err)
		for _, address := range []string{server.Address(name), pooled} {
			awaitSetting(t, address, "synchronous_commit", tc.set)
			s := open(t, address)
			wantCommit(t, s, tc.want)
			devservertest.Must(t, s.Read(t.Context(), func(tx *store.Tx) error {
				got, err := store.Setting(tx, "synchronous_commit")
				if got != "off" {
					t.Errorf("synchronous_commit = %q in a transaction that reads, want off", got)
				}
				return err
			}))
		}
	}
}

// TestCommitsWait_reloaded turns the setting off while connections are open.
func TestCommitsWait_reloaded(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	admin := administer(t, server)
	s := open(t, server.Address("postgres"))
	wantCommit(t, s, "on")
	admin("ALTER SYSTEM SET synchronous_commit = off")
	admin("SELECT pg_reload_conf()")
	awaitSetting(t, server.Address("postgres"), "synchronous_commit", "off")
	for range 100 { // The connection learns of it between two statements, at some time.
		wantCommit(t, s, "on")
	}
}

// TestUnsafe checks which settings are said to lose what was acknowledged: those of the server of tests, until it doesn't have them.
func TestUnsafe(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	admin := administer(t, server)
	want := "fsync and full_page_writes"
	for _, next := range []struct{ on, left string }{{"full_page_writes", "fsync"}, {"fsync", ""}} {
		devservertest.Same(t, "Unsafe", want, open(t, server.Address("postgres")).Unsafe())
		admin("ALTER SYSTEM SET " + next.on + " = on")
		admin("SELECT pg_reload_conf()")
		awaitSetting(t, server.Address("postgres"), next.on, "on")
		want = next.left
	}
	devservertest.Same(t, "Unsafe", want, open(t, server.Address("postgres")).Unsafe())
	if got := open(t, filepath.Join(t.TempDir(), "plane.db")).Unsafe(); got != "" {
		t.Errorf("Unsafe = %q for a file, want nothing", got)
	}
}
