package store

import (
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSchemas checks that files of the oldest and the newest versions that can be migrated, and a recorded one, can be opened, and opened again,
// and then have the schema of a new one. Each script runs on the oldest file.
func TestSchemas(t *testing.T) {
	t.Parallel()
	want, err := schemaOf(t.Context(), openPath(t, "").db)
	must(t, err)
	check := func(name, path string) {
		for range 2 {
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := schemaOf(t.Context(), s.db)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: error = %v, schema (-new +migrated):\n%s", name, err, diff)
			}
			must(t, s.Close())
		}
	}
	directory := t.TempDir()
	first, newest := sqliteSchema.first, sqliteSchema.newest()
	for _, version := range []int{first - 1, first, newest - 1, newest} { // The first file is new.
		name := fmt.Sprint("version ", version)
		writeVersion(t, filepath.Join(directory, name), version, "")
		check(name, filepath.Join(directory, name))
	}
	packed, err := os.Open("../../testdata/recorded/34937c3/sqlite.db.gz")
	must(t, err)
	defer packed.Close()
	unpacking, err := gzip.NewReader(packed)
	must(t, err)
	recorded, err := io.ReadAll(unpacking)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(directory, "recorded"), recorded, 0o600))
	check("recorded file", filepath.Join(directory, "recorded"))
}

// TestOldSchemas checks that a file from before the first script is refused, and one of that version that isn't completely converted.
func TestOldSchemas(t *testing.T) {
	t.Parallel()
	const deployment = "INSERT INTO deployments (id, workspace_id, name, source, status, created_at, updated_at, plain_secrets) VALUES ('d', 'w', 'd', 's', 's', 0, 0, '[]')"
	for name, tc := range map[string]struct {
		rows, want string
	}{
		"older":     {"PRAGMA user_version = 21", "the schema version 21 is older than 22"},
		"plain":     {deployment, "not completely converted"},
		"uncounted": {"INSERT INTO uncounted VALUES (1)", "not completely converted"},
	} {
		path := filepath.Join(t.TempDir(), "plane.db")
		writeVersion(t, path, sqliteSchema.first, tc.rows)
		for range 2 {
			_, err := Open(t.Context(), path)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "the dev server of commit 34937c3") {
				t.Errorf("%s: error = %v, want %q and the commit", name, err, tc.want)
			}
		}
	}
}

// writeVersion writes a file as a program whose newest version was the given one did, with rows in it. A version before the first is an empty file.
func writeVersion(t *testing.T, path string, version int, rows string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	for n, name := range sqliteSchema.names()[:version-sqliteSchema.first+1] {
		script, err := sqliteSchema.scripts.ReadFile(name)
		must(t, err)
		if _, err := db.ExecContext(t.Context(), string(script)+fmt.Sprintf(sqliteSchema.note, sqliteSchema.first+n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	must(t, db.Close())
}

// schemaOf returns the statements that created the schema of a database.
func schemaOf(ctx context.Context, db *sql.DB) (statements []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type, name")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			return nil, err
		}
		statements = append(statements, statement)
	}
	return statements, rows.Err()
}
