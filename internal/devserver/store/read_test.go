package store

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"
)

// do runs work in a transaction, which must succeed.
func do(t testing.TB, s *Store, work func(*Tx) error) {
	t.Helper()
	must(t, s.Do(t.Context(), work))
}

// read runs work in a transaction that only reads, which must succeed.
func read(t testing.TB, s *Store, work func(*Tx) error) {
	t.Helper()
	must(t, s.Read(t.Context(), work))
}

// openFile opens a database file with one project.
func openFile(t *testing.T) *Store {
	t.Helper()
	db, err := Open(t.Context(), DataFile(t))
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	addProject(t, db, "first")
	return db
}

func addProject(t testing.TB, db *Store, name string) {
	t.Helper()
	do(t, db, func(tx *Tx) error { return tx.EnsureProject(Project{ID: name, WorkspaceID: "w", Name: name}) })
}

func countProjects(t *testing.T, tx *Tx) int {
	t.Helper()
	all, err := tx.Projects("w", ProjectFilter{})
	must(t, err)
	return len(all)
}

// TestReadersDontWait checks that readers run concurrently with each other and with a writer, each on its own snapshot.
func TestReadersDontWait(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	read(t, db, func(outer *Tx) error {
		addProject(t, db, "second") // It would block forever if readers blocked writers.
		if got := countProjects(t, outer); got != 1 {
			t.Errorf("the snapshot has %d projects, want 1", got)
		}
		return db.Do(t.Context(), func(*Tx) error {
			return db.Read(t.Context(), func(inner *Tx) error { // And this one, if writers blocked readers.
				if got := countProjects(t, inner); got != 2 {
					t.Errorf("the next snapshot has %d projects, want 2", got)
				}
				if outer.Snapshot() >= inner.Snapshot() {
					t.Errorf("snapshots %d and %d, want increasing numbers", outer.Snapshot(), inner.Snapshot())
				}
				return nil
			})
		})
	})
}

// TestReadChangesNothing checks that reads can't write.
func TestReadChangesNothing(t *testing.T) {
	t.Parallel()
	memory, err := Open(t.Context(), "")
	must(t, err)
	defer memory.Close()
	for name, db := range map[string]*Store{"file": openFile(t), "memory": memory} {
		err := db.Read(t.Context(), func(tx *Tx) error { return tx.EnsureProject(Project{ID: "x", WorkspaceID: "w", Name: "x"}) })
		if !errors.Is(err, errReadOnly) {
			t.Errorf("%s: write in a read: error = %v, want errReadOnly", name, err)
		}
		err = db.Read(t.Context(), func(tx *Tx) error { return tx.DeleteProject("w", "x") })
		if !errors.Is(err, errReadOnly) {
			t.Errorf("%s: write in a long read: error = %v, want errReadOnly", name, err)
		}
	}
}

// TestReadEndsWithContext checks that a read ends with its context, even during a query and after its first row, and that the database remains
// usable.
func TestReadEndsWithContext(t *testing.T) {
	t.Parallel()
	memory, err := Open(t.Context(), "")
	must(t, err)
	defer memory.Close()
	addProject(t, memory, "first")
	for name, db := range map[string]*Store{"file": openFile(t), "memory": memory} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := db.Read(ctx, func(tx *Tx) error {
			const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
			_, err := queryOne(tx, scanNumber, endless)
			return err
		})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error = %v, want context.DeadlineExceeded", name, err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		err = db.Read(ctx, func(tx *Tx) error {
			const endsNever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 10000"
			return each(tx, scanNumber, func(int64) error { cancel(); return nil }, endsNever)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, after a row: error = %v, want context.Canceled", name, err)
		}
		if err := db.Read(t.Context(), func(tx *Tx) error {
			if got := countProjects(t, tx); got != 1 {
				t.Errorf("%s: %d projects after the cancelled read, want 1", name, got)
			}
			return nil
		}); err != nil {
			t.Errorf("%s: read after the cancelled one: %v", name, err)
		}
	}
}

// TestQueueEndsWithContext checks that work doesn't run if its context ended while it waited.
func TestQueueEndsWithContext(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	do(t, db, func(*Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		err := db.Do(ctx, func(*Tx) error { return errors.New("the work ran") })
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrBusy) {
			t.Errorf("waiting to write: error = %v, want DeadlineExceeded and ErrBusy", err)
		}
		return nil
	})
	busy := func(*Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := db.Read(ctx, func(*Tx) error { return errors.New("the work ran") }); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrBusy) {
			t.Errorf("waiting to read: error = %v, want DeadlineExceeded and ErrBusy", err)
		}
		return nil
	}
	for range maxReaders {
		inner := busy
		busy = func(*Tx) error { return db.Read(t.Context(), inner) }
	}
	must(t, busy(nil))
}

// TestLongReaders checks that long reads don't block other reads, whatever their number.
func TestLongReaders(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	served := false
	work := func(*Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := db.ReadLong(ctx, "a", func(*Tx) error { return errors.New("the work ran") }); !errors.Is(err, ErrBusy) {
			t.Errorf("one more long read: error = %v, want ErrBusy", err)
		}
		return db.Read(t.Context(), func(*Tx) error { served = true; return nil })
	}
	long, _ := longReads()
	for i := range long {
		inner := work
		work = func(*Tx) error { return db.ReadLong(t.Context(), strconv.Itoa(i), inner) }
	}
	if err := work(nil); err != nil || !served {
		t.Errorf("the work ran: %v, error = %v; want it to run without an error", served, err)
	}
}

// TestControlPlaneNeverWaits checks that reads of traced data, long and short, leave connections to the control plane, whatever their number.
func TestControlPlaneNeverWaits(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	release, held := make(chan struct{}), make(chan struct{})
	var reads sync.WaitGroup
	hold := func(read func(context.Context, func(*Tx) error) error) {
		reads.Go(func() {
			if err := read(t.Context(), func(*Tx) error { held <- struct{}{}; <-release; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	long, _ := longReads()
	for i := range maxReaders {
		hold(func(ctx context.Context, work func(*Tx) error) error { return db.ReadLong(ctx, strconv.Itoa(i), work) })
	}
	for range long {
		<-held
	}
	for range maxReaders {
		hold(db.ReadTraced)
	}
	for range maxTraced - long {
		<-held
	}
	served := false
	if err := db.Read(t.Context(), func(*Tx) error { served = true; return nil }); err != nil || !served {
		t.Errorf("a read beside %d of traced data: it ran: %v, error = %v; want it to run", maxTraced, served, err)
	}
	close(release)
	for range 2*maxReaders - maxTraced {
		<-held
	}
	reads.Wait()
}

// TestLongReadersOfAWorkspace checks that the long reads of a workspace, whatever their number, leave connections to another workspace.
func TestLongReadersOfAWorkspace(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	long, each := longReads()
	release, held := make(chan struct{}), make(chan struct{})
	var reads sync.WaitGroup
	for range 2 * long {
		reads.Go(func() {
			if err := db.ReadLong(t.Context(), "a", func(*Tx) error { held <- struct{}{}; <-release; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	for range each {
		<-held
	}
	served := false
	work := func(*Tx) error { served = true; return nil }
	for range long - each {
		inner := work
		work = func(*Tx) error { return db.ReadLong(t.Context(), "b", inner) }
	}
	if err := work(nil); err != nil || !served {
		t.Errorf("the other workspace was served: %v, error = %v; want all its reads to run", served, err)
	}
	close(release)
	for range 2*long - each {
		<-held
	}
	reads.Wait()
}
