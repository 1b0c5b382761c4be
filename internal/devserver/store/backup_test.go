package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// backupVariable makes the test binary write a backup of the file that it names, so that the process can be killed.
const backupVariable = "AGENTPLANE_TEST_BACKUP"

// namesIn lists a directory.
func namesIn(t *testing.T, directory string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	devservertest.Must(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// listenerOf is one of two that are stored together.
func listenerOf(n int64, part string) store.Listener {
	id := fmt.Sprint(n, part)
	return store.Listener{ID: id, WorkspaceID: workspace, ComputeType: "k8s", ComputeID: id, CreatedAt: at, UpdatedAt: at}
}

// TestBackup_unraced writes while backups are made. Each has all transactions that had ended before it began, and those that it has are whole.
func TestBackup_unraced(t *testing.T) {
	t.Parallel()
	path, directory := filepath.Join(t.TempDir(), "plane.db"), t.TempDir()
	s := open(t, path)
	do(t, s, func(tx *store.Tx) error {
		return errors.Join(tx.InsertDataset(store.Dataset{WorkspaceID: workspace, ID: "d", Name: "d", DataType: "kv", Settings: "{}", CreatedAt: at, ModifiedAt: at}),
			tx.SaveExamples(workspace, []store.Example{{ID: "e", DatasetID: "d", Inputs: `{"a": "b"}`, Metadata: "{}", CreatedAt: at, ModifiedAt: at}}, at))
	})
	var written atomic.Int64
	var stopped atomic.Bool
	var writer sync.WaitGroup
	writer.Go(func() {
		for !stopped.Load() {
			n := written.Load()
			if err := s.Do(t.Context(), func(tx *store.Tx) error {
				return errors.Join(tx.InsertListener(listenerOf(n, "a")), tx.InsertListener(listenerOf(n, "b")))
			}); err != nil {
				t.Error(err)
			}
			written.Add(1)
		}
	})
	for i := range 3 {
		to, before := filepath.Join(directory, fmt.Sprint(i)), written.Load()
		for written.Load() < before+10 {
			runtime.Gosched()
		}
		before = written.Load()
		devservertest.Must(t, store.Backup(t.Context(), path, to, ""))
		devservertest.Must(t, store.Check(t.Context(), to))
		if info, err := os.Stat(to); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
		}
		backup := open(t, to)
		do(t, backup, func(tx *store.Tx) error {
			if e, err := tx.Example(workspace, "e"); err != nil || e.DatasetID != "d" || e.Inputs != `{"a": "b"}` {
				t.Errorf("example = %+v, %v; want the one in the file", e, err)
			}
			for n := int64(0); ; n++ {
				_, errA := tx.Listener(workspace, fmt.Sprint(n, "a"))
				_, errB := tx.Listener(workspace, fmt.Sprint(n, "b"))
				if missing := errors.Is(errA, store.ErrNotFound); missing && n >= before && errors.Is(errB, store.ErrNotFound) {
					return nil
				} else if errA != nil || errB != nil {
					return fmt.Errorf("transaction %d, with %d before the backup: %w", n, before, errors.Join(errA, errB))
				}
			}
		})
		devservertest.Must(t, backup.Close())
	}
	stopped.Store(true)
	writer.Wait()
	if names := namesIn(t, directory); len(names) != 3 {
		t.Errorf("files = %v, want three backups", names)
	}
}

// TestBackupFiles checks which files a backup refuses, reads and leaves.
func TestBackupFiles(t *testing.T) {
	t.Parallel()
	path, directory := filepath.Join(t.TempDir(), "plane.db"), t.TempDir()
	s := open(t, path)
	key, to := path+"-key", filepath.Join(directory, "backup.db")
	wantNone := func(when string) {
		t.Helper()
		if names := namesIn(t, directory); len(names) > 0 {
			t.Errorf("%s: files = %v, want none", when, names)
		}
	}
	if err := store.Backup(t.Context(), path, to, key); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a key that doesn't exist: error = %v", err)
	}
	wantNone("a key that doesn't exist")
	if err := store.Backup(t.Context(), path+"-none", to, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that doesn't exist: error = %v", err)
	}
	wantNone("a file that doesn't exist")
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	if err := store.Backup(interrupted, path, to, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted backup: error = %v", err)
	}
	wantNone("an interrupted backup")
	devservertest.Must(t, s.Close())
	damaged := copied(t, path, filepath.Join(t.TempDir(), "damaged.db"))
	damage(t, damaged, roots(t, path, "name = 'feedback'")["feedback"])
	if err := store.Backup(t.Context(), damaged, to, ""); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("a damaged file: error = %v, want ErrDamaged", err)
	}
	wantNone("a damaged file")

	devservertest.Must(t, os.WriteFile(key, []byte("key"), 0o600))
	devservertest.Must(t, store.Backup(t.Context(), path, to, key))
	content, err := os.ReadFile(to)
	devservertest.Must(t, err)
	if copied, err := os.ReadFile(to + "-key"); err != nil || string(copied) != "key" {
		t.Errorf("the copy of the key = %q, %v", copied, err)
	}
	if err := store.Backup(t.Context(), path, to, ""); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("error = %v, want that the file exists", err)
	}
	if after, err := os.ReadFile(to); err != nil || !bytes.Equal(after, content) {
		t.Errorf("the first backup has changed, %v", err)
	}
	if names := namesIn(t, directory); !slices.Equal(names, []string{"backup.db", "backup.db-key"}) {
		t.Errorf("files = %v, want the backup and its key", names)
	}
}

// TestBackupKilled_unraced kills backups. What has the name of a backup is one, and the next backup succeeds.
func TestBackupKilled_unraced(t *testing.T) {
	t.Parallel()
	path, directory := filepath.Join(t.TempDir(), "plane.db"), t.TempDir()
	s := open(t, path)
	do(t, s, func(tx *store.Tx) error {
		large := listenerOf(1, "large")
		large.ComputeID = strings.Repeat("x", 16<<20)
		return tx.InsertListener(large)
	})
	for i := range 3 {
		to := filepath.Join(directory, fmt.Sprint(i))
		process := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // It runs this test binary.
		process.Env, process.Stderr = append(os.Environ(), backupVariable+"="+path, "AGENTPLANE_TEST_TO="+to), os.Stderr
		devservertest.Must(t, process.Start())
		for begun := false; !begun; time.Sleep(time.Millisecond) {
			found, err := filepath.Glob(to + "*") // Its temporary name, at first.
			devservertest.Must(t, err)
			begun = len(found) > 0
		}
		if err := process.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		_ = process.Wait() // It may have ended before.
		if _, err := os.Stat(to); err == nil {
			devservertest.Must(t, store.Check(t.Context(), to))
			continue
		}
		devservertest.Must(t, store.Backup(t.Context(), path, to, ""))
	}
	devservertest.Must(t, store.Check(t.Context(), path))
}

// backUp is what the process does that is killed.
func backUp(path string) {
	if err := store.Backup(context.Background(), path, os.Getenv("AGENTPLANE_TEST_TO"), ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
