package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// fileToCopy makes a file with prices, whose texts PostgreSQL doesn't store as they are, and of which the last is deleted.
func fileToCopy(t *testing.T, prices int) (path string, entries []string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "plane.db")
	db, err := Open(t.Context(), path)
	must(t, err)
	at := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	err = db.Do(t.Context(), func(tx *Tx) error {
		for i := range prices + 1 {
			entry := fmt.Sprintf("price %d \x00 \x01 \xff", i)
			if err := tx.InsertModelPrice(ModelPrice{ID: fmt.Sprintf("id %d", i), WorkspaceID: "w", Entry: entry, Identity: entry, CreatedAt: at}); err != nil {
				return err
			}
			if i < prices {
				entries = append(entries, entry)
			}
		}
		if err := tx.InsertListener(Listener{ID: "l", WorkspaceID: "w", ComputeType: "k8s", ComputeID: "east", K8sNamespaces: []string{"a\x00", "\x01b"}, CreatedAt: at, UpdatedAt: at}); err != nil {
			return err
		}
		if err := tx.InsertDataset(Dataset{WorkspaceID: "w", ID: "d", Name: "d", DataType: "kv", Settings: "{}", CreatedAt: at, ModifiedAt: at}); err != nil {
			return err
		}
		example := Example{ID: "e", DatasetID: "d", Inputs: `{"a": "b"}`, Metadata: "{}", CreatedAt: at, ModifiedAt: at}
		if err := tx.SaveExamples("w", []Example{example}, at); err != nil {
			return err
		}
		// An earlier program has stored no scopes like this.
		if err := tx.exec("INSERT INTO oauth_token_events (id, workspace_id, user_id, provider_id, event_type, source, scopes, created_at) VALUES ('v', 'w', 'u', 'p', 'created', 'flow', 'null', 0)"); err != nil {
			return err
		}
		// As for runs of which none is too long to be indexed.
		if err := tx.exec("INSERT INTO search_blocks (block, through, long) VALUES (0, 7, x'')"); err != nil {
			return err
		}
		return tx.DeleteModelPrice("w", fmt.Sprintf("id %d", prices))
	})
	must(t, errors.Join(err, db.Close()))
	return path, entries
}

// TestCopy interrupts a copy in the middle of a table. Run again, it goes on there, and the database has all that the file has.
func TestCopy(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	const prices, batch = 40, 7
	path, entries := fileToCopy(t, prices)
	address := Data(t)
	server, err := Open(t.Context(), address)
	must(t, err)
	if err := Copy(t.Context(), path, address, nil, nil); err == nil || !strings.Contains(err.Error(), "uses the database: stop that server") {
		t.Errorf("copy into a database in use: error = %v, want a refusal", err)
	}
	must(t, server.Close())
	prepared := 0
	prepare := func() error { prepared++; return nil }
	ctx, interrupt := context.WithCancel(t.Context())
	var before []Copied
	err = copyInBatches(ctx, path, address, batch, prepare, func(c Copied) {
		if c.Table == "model_prices" {
			if before = append(before, c); len(before) == 3 {
				interrupt()
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: error = %v, want that of the context", err)
	}
	if db, err := Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), "a copy into it isn't complete") {
		t.Errorf("open a part of a copy: %v, %v; want a refusal", db, err)
	}
	other, _ := fileToCopy(t, 1)
	if err := Copy(t.Context(), other, address, prepare, func(Copied) {}); err == nil || !strings.Contains(err.Error(), "part of a copy of another file") {
		t.Errorf("copy another file: error = %v, want a refusal", err)
	}
	var after []Copied
	must(t, copyInBatches(t.Context(), path, address, batch, prepare, func(c Copied) {
		if c.Table == "model_prices" {
			after = append(after, c)
		}
	}))
	const table = "model_prices"
	assert.Same(t, "before the interruption", []Copied{{table, 7, prices}, {table, 14, prices}, {table, 21, prices}}, before)
	assert.Same(t, "after the interruption", []Copied{{table, 28, prices}, {table, 35, prices}, {table, 40, prices}}, after)
	if prepared != 1 {
		t.Errorf("the file was prepared %d times, want once: it has to stay as it is", prepared)
	}
	db, err := Open(t.Context(), address)
	must(t, err)
	err = db.Do(t.Context(), func(tx *Tx) error {
		rows, err := tx.ModelPrices("w")
		if err != nil {
			return err
		}
		var got []string
		for _, row := range rows {
			got = append(got, row.Entry)
		}
		assert.Same(t, "prices", entries, got)
		if example, err := tx.Example("w", "e"); err != nil || example.DatasetID != "d" || example.Inputs != `{"a": "b"}` {
			t.Errorf("example = %+v, %v; want that of the file", example, err)
		}
		listener, err := tx.Listener("w", "l")
		assert.Same(t, "list of texts", jsonList{"a\x00", "\x01b"}, listener.K8sNamespaces)
		if err != nil {
			return err
		}
		return tx.InsertModelPrice(ModelPrice{ID: "new", WorkspaceID: "w", Identity: "new", CreatedAt: time.Now()})
	})
	must(t, errors.Join(err, db.Close()))
	connection, err := pgx.Connect(t.Context(), address)
	must(t, err)
	defer connection.Close(t.Context())
	var long, indexed int64
	if err := connection.QueryRow(t.Context(), "SELECT octet_length(long), c.indexed FROM search_blocks, commits c").Scan(&long, &indexed); err != nil || long != 0 || indexed != 7 {
		t.Errorf("search index: %d bytes, changes noted before run %d, %v; want none, and 7", long, indexed, err)
	}
	var seq int64
	must(t, connection.QueryRow(t.Context(), "SELECT seq FROM model_prices WHERE id = 'new'").Scan(&seq))
	if want := int64(prices + 2); seq != want { // One of the file was deleted.
		t.Errorf("a new row has the number %d, want %d", seq, want)
	}
	if err := Copy(t.Context(), path, address, prepare, func(Copied) {}); err == nil || !strings.Contains(err.Error(), "the database has rows already, in the table") {
		t.Errorf("copy again: error = %v, want a refusal", err)
	}
}

// TestCopyRefuses checks what can't be copied.
func TestCopyRefuses(t *testing.T) {
	t.Parallel()
	path, _ := fileToCopy(t, 1)
	none := filepath.Join(t.TempDir(), "none.db")
	for _, tc := range []struct{ from, to, want string }{
		{path, path, "only into a PostgreSQL database"}, {"postgres://user:hush@host/db", "postgres://user:hush@host/other", "only a SQLite file"},
		{none, "postgres://user:hush@127.0.0.1:1/db", "no such file"}, {path, "postgres://user:hush@127.0.0.1:1/db", "PostgreSQL can't be reached"},
	} {
		if err := Copy(t.Context(), tc.from, tc.to, nil, nil); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("copy %s to %s: error = %v, want %s", tc.from, tc.to, err, tc.want)
		}
	}
	claim, err := Claim(t.Context(), path, "the server")
	must(t, err)
	if err := Copy(t.Context(), path, "postgres://user:hush@127.0.0.1:1/db", nil, nil); err == nil || !strings.Contains(err.Error(), "in use by the server") {
		t.Errorf("copy a file in use: error = %v, want a refusal", err)
	}
	must(t, claim.Close())
}
