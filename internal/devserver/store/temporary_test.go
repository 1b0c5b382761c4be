package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestTemporary checks that a database without a path is read while others write, is private, and leaves nothing behind.
func TestTemporary(t *testing.T) {
	t.Parallel()
	db := openPath(t, "")
	addProject(t, db, "first")
	read(t, db, func(tx *Tx) error {
		addProject(t, db, "second") // It would block forever if they shared a connection.
		if got := countProjects(t, tx); got != 1 {
			t.Errorf("the snapshot has %d projects, want 1", got)
		}
		return nil
	})
	directory := filepath.Dir(db.backend.(*sqlite).path)
	for path, want := range map[string]fs.FileMode{directory: fs.ModeDir | 0o700, db.backend.(*sqlite).path: 0o600, db.backend.(*sqlite).path + "-wal": 0o600, db.backend.(*sqlite).path + "-shm": 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: mode = %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
	must(t, db.Close())
	if _, err := os.Stat(directory); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the database was closed, its directory has the error %v, want that it doesn't exist", err)
	}
}

// TestAbandoned checks that databases of killed processes are found, and no others.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	db := openPath(t, "")
	addProject(t, db, "first")
	old := time.Now().Add(-2 * abandonedAfter)
	age := func(path string) {
		t.Helper()
		must(t, os.Chtimes(path, old, old))
	}
	// copied returns a copy as it is after a crash.
	copied := func(mode fs.FileMode) string {
		t.Helper()
		directory := t.TempDir()
		for _, end := range []string{"", "-wal"} {
			content, err := os.ReadFile(db.backend.(*sqlite).path + end)
			must(t, err)
			must(t, os.WriteFile(filepath.Join(directory, "data"+end), content, 0o600))
		}
		must(t, os.Chmod(directory, mode))
		return filepath.Join(directory, "data")
	}
	abandoned, fresh, public, linked := copied(0o700), copied(0o700), copied(0o755), filepath.Join(t.TempDir(), "data")
	age(abandoned)
	age(public)
	age(db.backend.(*sqlite).path)
	must(t, os.Chmod(filepath.Dir(linked), 0o700)) //nolint:gosec // It is a directory.
	must(t, os.Symlink(abandoned, linked))
	for name, of := range map[string]struct {
		path string
		want bool
	}{"fresh": {fresh, false}, "public": {public, false}, "link": {linked, false}, "in use": {db.backend.(*sqlite).path, false}, "abandoned": {abandoned, true}} {
		assert.Same(t, fmt.Sprintf("%s: abandoned", name), of.want, isAbandoned(of.path))
	}
	addProject(t, db, "second") // It still works.
	must(t, db.Close())
}
