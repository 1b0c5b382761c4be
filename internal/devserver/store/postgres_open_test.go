package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestPostgresRefused checks what is said about databases that can't be used: the reason and the remedy, and never a password.
func TestPostgresRefused(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	address := store.Data(t)
	admin, err := pgx.Connect(t.Context(), address)
	devservertest.Must(t, err)
	defer admin.Close(t.Context())
	if _, err := admin.Exec(t.Context(), "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	_, host, _ := strings.Cut(address, "?")
	host = "?" + host
	for data, want := range map[string]string{
		"postgres://postgres:secret@/latin" + host:             "UTF8: create another one with createdb",
		"postgres://postgres:secret@/none" + host:              "create it with createdb -E UTF8",
		"postgres://nobody:secret@/latin" + host:               `refused the user "nobody"`,
		"postgres://postgres:secret@/latin?host=%2Fno%2Fsuch":  "check that it runs",
		"postgres://postgres:secret@127.0.0.1:1/latin":         "check that it runs",
		"postgres://postgres:secret@host:port/latin":           "the address of the PostgreSQL database is invalid: use postgres://",
		"postgres://postgres:secret@host/latin?sslmode=secret": "the address of the PostgreSQL database is invalid: use postgres://",
	} {
		_, err := store.Open(t.Context(), data)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error = %v, want one with %q and no password", data, err, want)
		}
	}
}

// TestPostgresLost checks that requests fail with ErrUnavailable while the database is down, and succeed again when it is up.
func TestPostgresLost(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	s := open(t, server.Address("postgres"))
	write := func() error {
		return s.Do(t.Context(), func(tx *store.Tx) error {
			return tx.EnsureProject(store.Project{ID: "p", WorkspaceID: workspace, Name: "p", StartTime: at})
		})
	}
	read := func() error {
		return s.Read(t.Context(), func(tx *store.Tx) error { _, err := tx.Project(workspace, "p"); return err })
	}
	devservertest.Must(t, errors.Join(write(), read()))
	during := s.Do(t.Context(), func(tx *store.Tx) error {
		if err := server.Crash(); err != nil {
			return err
		}
		for {
			if _, err := tx.Project(workspace, "p"); err != nil {
				return err
			}
		}
	})
	for what, err := range map[string]error{"during a write": during, "write": write(), "read": read()} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: error = %v, want ErrUnavailable", what, err)
		}
	}
	devservertest.Must(t, server.Up())
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := errors.Join(write(), read())
		if err == nil {
			return
		}
		if !errors.Is(err, store.ErrUnavailable) || time.Since(began) > time.Minute {
			t.Fatalf("the database is up: error = %v", err)
		}
	}
}
