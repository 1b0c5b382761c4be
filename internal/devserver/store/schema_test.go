package store

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestSchemas checks that files of all versions that can be migrated can be opened, and opened again, and that a version number with another
// schema is an error.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for version := sqliteSchema.first - 1; version <= sqliteSchema.newest(); version++ { // The first file is new.
		path := filepath.Join(t.TempDir(), "plane.db")
		writeVersion(t, path, version, "")
		for range 2 {
			db, err := Open(t.Context(), path)
			if err != nil {
				t.Fatalf("version %d: %v", version, err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
		other, err := sql.Open("sqlite", path)
		must(t, err)
		if _, err := other.ExecContext(t.Context(), "DROP INDEX runs_failed"); err != nil {
			t.Fatal(err)
		}
		must(t, other.Close())
		if _, err := Open(t.Context(), path); !errors.Is(err, errOtherSchema) {
			t.Errorf("version %d with another schema: error = %v, want errOtherSchema", version, err)
		}
	}
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
