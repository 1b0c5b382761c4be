package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestDamage checks that a file that was not closed, as after a crash, is searched for damage before it is used, and one that was closed
// isn't, because that takes long.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	if err := open(t, path).Close(); err != nil { // Everything so far is in the file itself.
		t.Fatal(err)
	}
	page := rootOf(t, path, "feedback")
	s := open(t, path)
	insert(t, s, deployment("a")) // This is in the log only.
	crashed := copied(t, path, filepath.Join(dir, "crashed.db"))
	damaged := copied(t, path, filepath.Join(dir, "damaged.db"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	closed := copied(t, path, filepath.Join(dir, "closed.db"))
	damage(t, damaged, page)
	damage(t, closed, page)
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(damaged, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{crashed, closed} {
		if err := open(t, path).Close(); err != nil {
			t.Error(err)
		}
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

// rootOf returns the number of the first page of a table.
func rootOf(t *testing.T, path, table string) (page int64) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), "SELECT rootpage FROM sqlite_schema WHERE name = ?", table).Scan(&page); err != nil {
		t.Fatal(err)
	}
	return page
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
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// damage overwrites the beginning of a page.
func damage(t *testing.T, path string, page int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte("this is not a page"), (page-1)*4096); err != nil {
		t.Fatal(err)
	}
}
