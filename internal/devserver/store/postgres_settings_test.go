package store

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// TestCopyWaits checks that a copy that says that it is complete is on the disk.
func TestCopyWaits(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	admin, err := pgx.Connect(t.Context(), server.Address("postgres"))
	must(t, err)
	_, err = admin.Exec(t.Context(), "ALTER ROLE postgres SET synchronous_commit = off")
	must(t, errors.Join(err, admin.Close(t.Context())))
	target, err := openCopyTarget(t.Context(), server.Address("postgres"))
	must(t, err)
	var got string
	err = target.pgx.QueryRow(t.Context(), "SELECT current_setting('synchronous_commit')").Scan(&got)
	if err := errors.Join(err, target.close()); err != nil || got != "on" {
		t.Errorf("synchronous_commit = %q in a copy, want on: %v", got, err)
	}
}

// TestSettingsFail checks that a connection is closed that can't be used, because it refuses its settings.
func TestSettingsFail(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	config, err := postgresConfig(server.Address("postgres"))
	must(t, err)
	observer, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(func() { _ = observer.PgConn().Conn().Close() })
	count := func() (n int) {
		must(t, observer.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()").Scan(&n))
		return n
	}
	before := count()
	db := (&postgres{}).pool(config, settings{"no_such_setting = 1"})
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("a connection without its settings is used")
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	for began := time.Now(); count() != before; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("%d connections, want %d as before", count(), before)
		}
	}
}
