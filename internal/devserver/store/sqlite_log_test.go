package store

import (
	"path/filepath"
	"testing"
	"testing/synctest"
)

// fillLog opens a file, and returns how to write a number of pages to its log, in transactions of a hundred.
func fillLog(t *testing.T) (s *Store, write func(pages int)) {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "plane.db"))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	if _, err := s.db.ExecContext(t.Context(), "CREATE TABLE filled (some BLOB)"); err != nil {
		t.Fatal(err)
	}
	return s, func(pages int) {
		t.Helper()
		for range pages / 100 {
			do(t, s, func(tx *Tx) error { return tx.exec("INSERT INTO filled VALUES (zeroblob(?))", 100*4096) })
		}
	}
}

func (s *Store) lookAtLog(t *testing.T) logPages {
	t.Helper()
	log, err := s.checkpoint(t.Context(), "NOOP")
	must(t, err)
	return log
}

// beginsAgain writes until the log begins again, which must be before SQLite does that by itself.
func beginsAgain(t *testing.T, s *Store, write func(int)) {
	t.Helper()
	before := s.lookAtLog(t)
	for range mostLogPages / 2 / 100 {
		write(100)
		synctest.Wait() // The copy is made by another goroutine.
		log := s.lookAtLog(t)
		if log.all < before.all {
			return
		}
		before = log
	}
	t.Fatalf("the log has %d pages, of which %d are copied, want a new one", before.all, before.copied)
}

// TestCopyLog checks that a long log is copied beside the transactions, and begun again.
func TestCopyLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, write := fillLog(t)
		for range 3 {
			beginsAgain(t, s, write)
		}
	})
}

// TestCopyLog_read checks that what a long read needs stays in the log, and is copied after the next transaction.
func TestCopyLog_read(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, write := fillLog(t)
		read(t, s, func(tx *Tx) error {
			write(2 * copiedPages)
			rows, err := queryOne(tx, scanNumber, "SELECT count(*) FROM filled")
			if err == nil && rows != 0 {
				t.Errorf("a read finds %d rows that were added after it began", rows)
			}
			return err
		})
		if log := s.lookAtLog(t); log.all < 2*copiedPages {
			t.Errorf("the log has %d pages while some are needed, want all", log.all)
		}
		beginsAgain(t, s, write)
	})
}

// TestCopyLog_stopped checks that a commit copies nothing unless the log has become much longer than it should.
func TestCopyLog_stopped(t *testing.T) {
	t.Parallel()
	s, write := fillLog(t)
	s.backend.stop()
	write(4 * copiedPages)
	if log := s.lookAtLog(t); log.all < 4*copiedPages || log.copied > 0 {
		t.Errorf("%d pages of %d in the log are copied, want none", log.copied, log.all)
	}
	write(mostLogPages)
	if log := s.lookAtLog(t); log.all >= mostLogPages {
		t.Errorf("the log has %d pages, want a new one", log.all)
	}
}
