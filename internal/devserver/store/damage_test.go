package store_test

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestDamage checks that a file that was not closed, as after a crash, is searched for damage before it is used, and one that was closed
// isn't, because that takes long.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	devservertest.Must(t, open(t, path).Close()) // Everything so far is in the file itself.
	page := roots(t, path, "name = 'feedback'")["feedback"]
	s := open(t, path)
	insert(t, s, deployment("a")) // This is in the log only.
	crashed := copied(t, path, filepath.Join(dir, "crashed.db"))
	damaged := copied(t, path, filepath.Join(dir, "damaged.db"))
	devservertest.Must(t, s.Close())
	closed := copied(t, path, filepath.Join(dir, "closed.db"))
	damage(t, damaged, page)
	damage(t, closed, page)
	link := filepath.Join(dir, "link.db")
	devservertest.Must(t, os.Symlink(damaged, link))
	for _, path := range []string{crashed, closed} {
		devservertest.Must(t, open(t, path).Close())
	}
	for _, path := range []string{damaged, damaged, link} { // It isn't repaired by trying again.
		opened, err := store.Open(t.Context(), path)
		if err == nil {
			t.Errorf("%s: error = nil, want one", filepath.Base(path))
			err = opened.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "is damaged") || !strings.Contains(err.Error(), "backup") {
			t.Errorf("%s: error = %v, want that it is damaged, and what to do", filepath.Base(path), err)
		}
	}
}

// TestDamagedTables damages each table of a file, with its indexes, and reads it in one of several ways: whether work ignores the error or not,
// nothing is stored from then on, and what isn't damaged can still be read.
func TestDamagedTables(t *testing.T) {
	t.Parallel()
	sound := filepath.Join(t.TempDir(), "sound.db")
	devservertest.Must(t, open(t, sound).Close())
	listener := store.Listener{ID: "l1", WorkspaceID: workspace, ComputeType: "k8s", ComputeID: "c", CreatedAt: at, UpdatedAt: at}
	insert := func(tx *store.Tx) error { return tx.InsertListener(listener) }
	ways := []func(s *store.Store, scan func(*store.Tx) error) error{
		func(s *store.Store, scan func(*store.Tx) error) error { return s.Read(t.Context(), scan) },
		func(s *store.Store, scan func(*store.Tx) error) error {
			return s.Do(t.Context(), func(tx *store.Tx) error {
				_ = scan(tx)
				return insert(tx)
			})
		},
		func(s *store.Store, scan func(*store.Tx) error) error {
			return s.Tend(t.Context(), func(tx *store.Tx) error {
				_ = scan(tx)
				return nil
			})
		},
		func(s *store.Store, scan func(*store.Tx) error) error { return grouped(s)(t.Context(), scan) },
	}
	for i, table := range slices.Sorted(maps.Keys(roots(t, sound, "type = 'table'"))) {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			path := copied(t, sound, filepath.Join(t.TempDir(), "damaged.db"))
			for _, page := range roots(t, path, "tbl_name = '"+table+"'") { // An index may have all columns.
				damage(t, path, page)
			}
			s, err := store.Open(t.Context(), path)
			if err != nil {
				wantDamaged(t, err)
				return
			}
			defer s.Close()
			wantDamaged(t, ways[i%len(ways)](s, func(tx *store.Tx) error { return store.ScanTable(tx, table) }))
			for _, write := range []func(context.Context, func(*store.Tx) error) error{s.Do, s.Tend, grouped(s)} {
				wantDamaged(t, write(t.Context(), insert))
			}
			if err := s.Read(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Listener(workspace, listener.ID)
				return err
			}); table != "listeners" && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("listener: error = %v, want ErrNotFound", err)
			}
		})
	}
}

// wantDamaged checks an error that tells users that a file is damaged.
func wantDamaged(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrDamaged) {
		t.Errorf("error = %v, want ErrDamaged", err)
		return
	}
	for _, once := range []string{"is damaged", "malformed", "backup", ".recover"} {
		if n := strings.Count(err.Error(), once); n != 1 {
			t.Errorf("error = %v, want %q in it once, not %d times", err, once, n)
		}
	}
}

// TestCheck checks files that are damaged in a table, in an index, or in the header, and those that aren't.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	s := open(t, path)
	insert(t, s, deployment("a"))
	if err := store.Check(t.Context(), path); err != nil {
		t.Errorf("a file in use: %v", err)
	}
	devservertest.Must(t, s.Close())
	if err := store.Check(t.Context(), path); err != nil {
		t.Errorf("a file that was closed: %v", err)
	}
	pages := roots(t, path, "name IN ('feedback', 'deployments', 'sqlite_autoindex_deployments_1')")
	if len(pages) != 3 {
		t.Fatalf("the file has %v, want two tables and an index", pages)
	}
	pages["header"] = 1
	for name, page := range pages {
		damaged := copied(t, path, filepath.Join(dir, name))
		damage(t, damaged, page)
		if err := store.Check(t.Context(), damaged); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "backup") {
			t.Errorf("%s: error = %v, want that it is damaged, and what to do", name, err)
		}
	}
	if opened, err := store.Open(t.Context(), filepath.Join(dir, "header")); err == nil || !errors.Is(err, store.ErrDamaged) {
		t.Errorf("open what isn't a database: %v, %v; want ErrDamaged", opened, err)
	}
	none := filepath.Join(dir, "none.db")
	if err := store.Check(t.Context(), none); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that doesn't exist: error = %v", err)
	}
	if _, err := os.Stat(none); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file was created")
	}
}

// roots returns the numbers of the first pages of the tables and indexes that match a condition, by their names.
func roots(t *testing.T, path, condition string) map[string]int64 {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	devservertest.Must(t, err)
	defer db.Close()
	//nolint:gosec // The conditions are constants.
	rows, err := db.QueryContext(t.Context(), "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0 AND "+condition)
	devservertest.Must(t, err)
	defer rows.Close()
	found := map[string]int64{}
	for rows.Next() {
		var name string
		var page int64
		devservertest.Must(t, rows.Scan(&name, &page))
		found[name] = page
	}
	if err := rows.Err(); err != nil || len(found) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	return found
}

// copied copies a database with its log, if it has one, as it is.
func copied(t *testing.T, from, to string) string {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(from + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to+suffix, content, 0o600)
		}
		devservertest.Must(t, err)
	}
	return to
}

// damage overwrites the beginning of a page.
func damage(t *testing.T, path string, page int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	devservertest.Must(t, err)
	defer file.Close()
	if _, err := file.WriteAt([]byte("this is not a page"), (page-1)*4096); err != nil {
		t.Fatal(err)
	}
}
