package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTemplate checks that a temporary database has the same schema as a migrated file, and doesn't share data with others.
func TestTemplate(t *testing.T) {
	t.Parallel()
	open := func(path string) *Store {
		s, err := Open(t.Context(), path)
		must(t, err)
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	schema := func(s *Store) (statements []string, version, foreignKeys int) {
		statements, err := schemaOf(t.Context(), s.db)
		must(t, err)
		for pragma, to := range map[string]*int{"user_version": &version, "foreign_keys": &foreignKeys} {
			must(t, s.db.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(to))
		}
		return statements, version, foreignKeys
	}
	file, memory := open(filepath.Join(t.TempDir(), "plane.db")), open("")
	want, version, foreignKeys := schema(file)
	got, gotVersion, gotForeignKeys := schema(memory)
	if diff := cmp.Diff(want, got); diff != "" || version == 0 || version != gotVersion || foreignKeys != 1 || gotForeignKeys != 1 {
		t.Errorf("versions %d and %d, foreign keys %d and %d (-file +memory):\n%s", version, gotVersion, foreignKeys, gotForeignKeys, diff)
	}
	do(t, memory, func(tx *Tx) error { return tx.EnsureProject(Project{ID: "p", WorkspaceID: "w", Name: "mine"}) })
	var projects int
	for _, other := range []*sql.DB{open("").db, file.db} {
		if err := other.QueryRowContext(t.Context(), "SELECT count(*) FROM projects").Scan(&projects); err != nil || projects != 0 {
			t.Errorf("%d projects in another database, want none: %v", projects, err)
		}
	}
}

// TestOpenTogether opens files at the same time, all of which compare their schema with that of the template.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	var group sync.WaitGroup
	for n := range 16 {
		group.Go(func() {
			s, err := Open(t.Context(), filepath.Join(directory, fmt.Sprint(n)))
			if err == nil {
				err = s.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
