package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// onDisk returns the size of a file with its write-ahead log.
func onDisk(t *testing.T, path string) (size int64) {
	t.Helper()
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		must(t, err)
		size += info.Size()
	}
	return size
}

// TestGiveBack_unraced checks that the space of deleted runs returns to the file system in steps, while others read, and that the file remains whole.
func TestGiveBack_unraced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	s, err := Open(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	s.StopIndexing() // What it reads would keep the log from being shortened.
	began := time.Unix(1_700_000_000, 0)
	log := func(project string, n int) {
		t.Helper()
		do(t, s, func(tx *Tx) error {
			if err := tx.EnsureProject(Project{ID: project, WorkspaceID: "w", Name: project, StartTime: began}); err != nil {
				return err
			}
			for i := range n {
				noise := make([]byte, 20<<10)
				_, _ = rand.Read(noise)
				if err := tx.SaveRun(Run{
					WorkspaceID: "w", ID: fmt.Sprint(project, i), ProjectID: project, TraceID: fmt.Sprint(project, i), Name: "n", RunType: "llm", Status: "success",
					StartTime: began, Figures: "{}", ReceivedAt: began,
				}, RunBody{Post: []byte(hex.EncodeToString(noise)), Patch: []byte("{}")}, nil); err != nil {
					return err
				}
			}
			return nil
		})
	}
	log("kept", 20)
	log("large", 600)
	before := onDisk(t, path)
	do(t, s, func(tx *Tx) error { return tx.DeleteProject("w", "large") })
	sweepAll(t, s)
	// What a transaction reads stays as long as it reads, and the steps do not wait for it.
	read(t, s, func(tx *Tx) error {
		before, err := queryOne(tx, scanNumber, "SELECT count(*) FROM runs")
		if err != nil {
			return err
		}
		steps := 0
		for more := true; more && err == nil; steps++ {
			more, err = s.GiveBack(t.Context())
		}
		if steps < 10 {
			t.Errorf("%d steps, want at least 10", steps)
		}
		after, errAfter := queryOne(tx, scanNumber, "SELECT count(*) FROM run_bodies")
		if before != 20 || after != 20 || errAfter != nil {
			t.Errorf("%d runs and %d bodies, %v; want 20", before, after, errAfter)
		}
		return err
	})
	if more, err := s.GiveBack(t.Context()); more || err != nil {
		t.Fatalf("more = %v, %v; want nothing more", more, err)
	}
	// 20 runs of 40 KiB, the schema, and the pages that are kept. The log is shortened by a later call if something reads meanwhile.
	after := onDisk(t, path)
	for begun := time.Now(); after > 6<<20 && time.Since(begun) < time.Minute; after = onDisk(t, path) {
		time.Sleep(10 * time.Millisecond)
		if _, err := s.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if before < 20<<20 || after > 6<<20 {
		t.Errorf("%d MiB on disk before, and %d MiB after; want more than 20, and at most 6", before>>20, after>>20)
	}
	read(t, s, func(tx *Tx) error {
		verdict, err := queryOne(tx, scanText, "PRAGMA integrity_check")
		if verdict != "ok" {
			t.Errorf("integrity check: %s", verdict)
		}
		return err
	})
}

// TestCompact checks that a file is rewritten, unless a server uses it or it doesn't exist.
func TestCompact(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	writeVersion(t, path, sqliteSchema.newest(), "CREATE TABLE large (x BLOB); INSERT INTO large VALUES (zeroblob(10000000)); DROP TABLE large")
	claim, err := Claim(t.Context(), path, "the server")
	must(t, err)
	if _, is := errors.AsType[*InUseError](Compact(t.Context(), path)); !is {
		t.Error("a file in use was rewritten")
	}
	must(t, claim.Close())
	must(t, Compact(t.Context(), path))
	if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 {
		t.Errorf("%v, %v; want less than 1 MiB", info.Size(), err)
	}
	none := filepath.Join(t.TempDir(), "none.db")
	if err := Compact(t.Context(), none); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that doesn't exist: error = %v", err)
	}
}

// TestSpareFile_unraced checks that a large data file has a spare file, which a deletion on a full disk uses, and nothing else.
func TestSpareFile_unraced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	s := openPath(t, path)
	s.spare.from = 1 << 20
	logKind(t, s, "many labels", 600)
	for more := true; more; {
		var err error
		if more, err = s.GiveBack(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	exists := func() bool {
		info, err := os.Stat(path + "-reserve")
		if err == nil && info.Size() != spareBytes {
			t.Errorf("the spare file has %d bytes, want %d", info.Size(), spareBytes)
		}
		return err == nil
	}
	for _, step := range []struct {
		work      func(*Tx) error
		runs      int
		remaining bool
	}{
		{func(*Tx) error { return ErrFull }, 1, true},
		{func(tx *Tx) error {
			return errors.Join(tx.DeleteProject(workspaceOf("many labels"), "many labels"), errors.New("another error"))
		}, 1, true},
		{func(tx *Tx) error {
			return errors.Join(tx.DeleteProject(workspaceOf("many labels"), "many labels"), ErrFull)
		}, 2, false},
		{func(tx *Tx) error {
			return errors.Join(tx.DeleteProject(workspaceOf("many labels"), "many labels"), ErrFull)
		}, 1, false},
	} {
		runs := 0
		_ = s.Do(t.Context(), func(tx *Tx) error { runs++; return step.work(tx) })
		if runs != step.runs || exists() != step.remaining {
			t.Errorf("the work ran %d times, want %d; the spare file exists: %v, want %v", runs, step.runs, exists(), step.remaining)
		}
	}
	if _, err := s.GiveBack(t.Context()); err != nil || !exists() {
		t.Errorf("the spare file was not created again: %v", err)
	}
	must(t, s.Close())
	if again := openPath(t, path); !again.spare.exists.Load() {
		t.Error("the spare file of a data file that was closed isn't known")
	}
}
