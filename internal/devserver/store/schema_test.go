package store

import (
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

// TestSchemas: a file of every version opens, also again, and one with a number that means something else says so.
func TestSchemas(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for version := range len(names) + 1 {
		path := filepath.Join(t.TempDir(), "plane.db")
		old, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		for n, name := range names[:version] {
			script, err := migrations.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := apply(t.Context(), old, string(script), n+1); err != nil {
				t.Fatal(err)
			}
		}
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.ExecContext(t.Context(), "DROP INDEX runs_failed"); err != nil {
			t.Fatal(err)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), path); !errors.Is(err, errOtherSchema) {
			t.Errorf("version %d with another schema: %v", version, err)
		}
	}
}
