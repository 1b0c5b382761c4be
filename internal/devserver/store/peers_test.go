package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// peers opens a database as several processes do.
func peers(t *testing.T, n int) (address string, all []*store.Store) {
	t.Helper()
	postgrestest.Required(t)
	address = store.Data(t)
	for range n {
		all = append(all, open(t, address))
	}
	return address, all
}

func addProjectTo(ctx context.Context, s *store.Store, id string) error {
	return s.Do(ctx, func(tx *store.Tx) error {
		return tx.EnsureProject(store.Project{ID: id, WorkspaceID: workspace, Name: id, StartTime: at})
	})
}

// TestPeersTakeTurns lets processes read a number and write the next one, in all ways to write. Each must see what the others have written,
// in the order of their times.
func TestPeersTakeTurns(t *testing.T) {
	t.Parallel()
	_, all := peers(t, 3)
	devservertest.Must(t, addProjectTo(t.Context(), all[0], "p"))
	const each = 50
	var last time.Time
	count := func(tx *store.Tx) error {
		p, err := tx.Project(workspace, "p")
		if err != nil {
			return err
		}
		n := 0
		if p.Description != nil {
			if n, err = strconv.Atoi(*p.Description); err != nil {
				return err
			}
		}
		if now := tx.Now(); !now.After(last) {
			return fmt.Errorf("a transaction at %s after one at %s", now, last)
		}
		last = tx.Now()
		p.Description = new(strconv.Itoa(n + 1))
		return tx.UpdateProject(p)
	}
	var writers sync.WaitGroup
	for _, s := range all {
		for _, do := range []func(context.Context, func(*store.Tx) error) error{s.Do, grouped(s), s.Tend} {
			writers.Go(func() {
				for range each {
					if err := do(t.Context(), count); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	writers.Wait()
	for i, s := range all {
		err := s.Read(t.Context(), func(tx *store.Tx) error {
			p, err := tx.Project(workspace, "p")
			if want := strconv.Itoa(3 * 3 * each); err == nil && *p.Description != want {
				t.Errorf("process %d counts %s, want %s", i, *p.Description, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestPeersNumbers checks that the number of a snapshot, in every process, says exactly which transactions it contains, and that processes
// that do nothing learn of others, also after all connections were lost.
func TestPeersNumbers(t *testing.T) {
	t.Parallel()
	address, all := peers(t, 2)
	a, b := all[0], all[1]
	snapshot := func(s *store.Store) (number int64, projects int) {
		t.Helper()
		read(t, s, func(tx *store.Tx) error {
			found, err := tx.Projects(workspace, store.ProjectFilter{})
			number, projects = tx.Snapshot(), len(found)
			return err
		})
		return number, projects
	}
	first, _ := snapshot(b)
	for i := range 5 {
		devservertest.Must(t, addProjectTo(t.Context(), all[i%2], strconv.Itoa(i)))
		for _, s := range all {
			if number, projects := snapshot(s); number != first+int64(projects) || projects != i+1 {
				t.Errorf("snapshot %d has %d projects after %d of none, want %d", number, projects, first, i+1)
			}
		}
	}
	devservertest.Must(t, addProjectTo(t.Context(), a, "4")) // There is one.
	if number, _ := snapshot(a); number != first+5 {
		t.Errorf("snapshot %d after a transaction that has changed nothing, want %d", number, first+5)
	}
	admin, err := pgx.Connect(t.Context(), address)
	devservertest.Must(t, err)
	defer admin.Close(t.Context())
	if _, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() "+
		"AND application_name LIKE 'agentplane devserver %'"); err != nil {
		t.Fatal(err)
	}
	devservertest.Must(t, addProjectTo(t.Context(), a, "last"))
	for began := time.Now(); b.Commits() != a.Commits(); time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("a process knows of %d transactions, want %d", b.Commits(), a.Commits())
		}
	}
}

// TestPeersStopped lets a process stop in the middle of a transaction. Others wait for it, leave when their clients do, and go on when its
// connection is lost.
func TestPeersStopped(t *testing.T) {
	t.Parallel()
	address, all := peers(t, 2)
	a, b := all[0], all[1]
	started, lost := make(chan struct{}), make(chan struct{})
	failed := make(chan error)
	go func() {
		failed <- a.Do(t.Context(), func(tx *store.Tx) error {
			err := tx.EnsureProject(store.Project{ID: "lost", WorkspaceID: workspace, Name: "lost", StartTime: at})
			close(started)
			<-lost
			return err
		})
	}()
	<-started
	left, leave := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() { waited <- addProjectTo(left, b, "left") }()
	admin, err := pgx.Connect(t.Context(), address)
	devservertest.Must(t, err)
	defer admin.Close(t.Context())
	for waits := false; !waits; {
		devservertest.Must(t, admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND "+
			"database = (SELECT oid FROM pg_database WHERE datname = current_database()))").Scan(&waits))
	}
	leave()
	if err := <-waited; !errors.Is(err, store.ErrBusy) || !errors.Is(err, context.Canceled) {
		t.Errorf("a client that leaves: error = %v, want ErrBusy", err)
	}
	go func() { waited <- addProjectTo(t.Context(), b, "kept") }()
	if _, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND granted AND "+
		"database = (SELECT oid FROM pg_database WHERE datname = current_database())"); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("after the connection of another process was lost: %v", err)
	}
	close(lost)
	if err := <-failed; !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a transaction without its connection: error = %v, want ErrUnavailable", err)
	}
	devservertest.Must(t, addProjectTo(t.Context(), a, "again"))
	for i, s := range all {
		err := s.Read(t.Context(), func(tx *store.Tx) error {
			found, err := tx.Projects(workspace, store.ProjectFilter{})
			if len(found) != 2 || found[0].ID != "again" || found[1].ID != "kept" {
				t.Errorf("process %d sees %v, want the projects again and kept", i, found)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestPeersRepeat checks that a transaction is repeated which the database has ended because of another one, but not forever.
func TestPeersRepeat(t *testing.T) {
	t.Parallel()
	_, all := peers(t, 1)
	for name, do := range map[string]func(context.Context, func(*store.Tx) error) error{"alone": all[0].Do, "group": grouped(all[0])} {
		tries := 0
		work := func(most int) func(tx *store.Tx) error {
			tries = 0
			return func(tx *store.Tx) error {
				tries++
				id := fmt.Sprint(name, tries)
				err := tx.EnsureProject(store.Project{ID: id, WorkspaceID: workspace, Name: id, StartTime: at})
				if err != nil || tries > most {
					return err
				}
				return &pgconn.PgError{Code: []string{"40001", "40P01"}[tries%2]}
			}
		}
		if err := do(t.Context(), work(4)); err != nil || tries != 5 {
			t.Errorf("%s: %d tries, error = %v; want 5", name, tries, err)
		}
		err := all[0].Read(t.Context(), func(tx *store.Tx) error {
			for n := range 5 {
				_, err := tx.Project(workspace, fmt.Sprint(name, n+1))
				if there := !store.Missing(&err); err != nil || there != (n == 4) {
					t.Errorf("%s: what try %d has stored is there: %t, %v", name, n+1, there, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		var failed *pgconn.PgError
		if err := do(t.Context(), work(1000)); !errors.As(err, &failed) || tries > 100 {
			t.Errorf("%s: %d tries, error = %v; want the database's after some", name, tries, err)
		}
	}
}

// TestPeersLead checks that one process at a time does some work, and another one after its end.
func TestPeersLead(t *testing.T) {
	t.Parallel()
	_, all := peers(t, 2)
	leads := func(s *store.Store) bool {
		t.Helper()
		mine, err := s.Leads(t.Context(), "work")
		devservertest.Must(t, err)
		return mine
	}
	for range 2 {
		if !leads(all[0]) {
			t.Error("the first process doesn't lead")
		}
	}
	if leads(all[1]) {
		t.Error("two processes lead")
	}
	devservertest.Must(t, all[0].Close())
	if other := open(t, store.Data(t)); !leads(other) {
		t.Error("a process of another database doesn't lead")
	}
	for began := time.Now(); !leads(all[1]); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the other process doesn't lead after the end of the first")
		}
	}
}

// TestPeersTakeOver checks that work is taken over from a process that says nothing for too long, which then learns of it.
func TestPeersTakeOver(t *testing.T) {
	t.Parallel()
	_, all := peers(t, 2)
	acquire := func(s *store.Store, length time.Duration) (mine bool) {
		t.Helper()
		do(t, s, func(tx *store.Tx) (err error) {
			mine, err = tx.Acquire("work", length)
			return err
		})
		return mine
	}
	holds := func(s *store.Store) (mine bool) {
		t.Helper()
		do(t, s, func(tx *store.Tx) (err error) {
			mine, err = tx.Holds("work")
			return err
		})
		return mine
	}
	if !acquire(all[0], time.Hour) || acquire(all[1], time.Hour) || !holds(all[0]) || holds(all[1]) {
		t.Error("the first process isn't the one that works")
	}
	if !acquire(all[0], 0) || !acquire(all[1], time.Hour) || holds(all[0]) || !holds(all[1]) {
		t.Error("the second process isn't the one that works after the time of the first")
	}
	do(t, all[1], func(tx *store.Tx) error { return tx.Release("work") })
	if holds(all[0]) {
		t.Error("the first process doesn't learn that the second has worked meanwhile")
	}
	if !acquire(all[0], time.Hour) {
		t.Error("the first process doesn't work after the second has released it")
	}
}

// TestPeersOutdated migrates the database, as a newer program does, below a process. It must not go on, and say why.
func TestPeersOutdated(t *testing.T) {
	t.Parallel()
	address, all := peers(t, 1)
	admin, err := pgx.Connect(t.Context(), address)
	devservertest.Must(t, err)
	defer admin.Close(t.Context())
	if _, err := admin.Exec(t.Context(), "UPDATE schema_version SET version = version + 1000"); err != nil {
		t.Fatal(err)
	}
	defer func() { // For the next test with the database.
		if _, err := admin.Exec(t.Context(), "UPDATE schema_version SET version = version - 1000"); err != nil {
			t.Error(err)
		}
	}()
	for began := time.Now(); err == nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the process goes on with a newer schema")
		}
		err = addProjectTo(t.Context(), all[0], "p")
	}
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "is newer than") {
		t.Errorf("error = %v, want ErrUnavailable and the reason", err)
	}
}

// TestPeersLagging checks that what a server without a lag has stored is shown with the next change of another one, and not before.
func TestPeersLagging(t *testing.T) {
	t.Parallel()
	_, all := peers(t, 2)
	lagging, err := all[0].Lagging(t.Context(), func() time.Time { return at }, time.Hour)
	devservertest.Must(t, err)
	insert(t, all[0], deployment("a"))
	insert(t, all[1], deployment("b"))
	if got := names(t, lagging, at); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%v are shown, want a", got)
	}
	insert(t, all[0], deployment("c"))
	if got := names(t, lagging, at); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%v are shown, want a, b and c", got)
	}
}

// TestPeersLostIdle restarts the database while connections are idle: the next requests must not learn of that.
func TestPeersLostIdle(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	s := open(t, server.Address("postgres"))
	const readers = 5
	read := func(begun, end *sync.WaitGroup) error {
		return s.Read(t.Context(), func(*store.Tx) error {
			begun.Done()
			end.Wait()
			return nil
		})
	}
	together := func() {
		t.Helper()
		var begun, end, all sync.WaitGroup
		begun.Add(readers)
		end.Add(1)
		for range readers {
			all.Go(func() {
				if err := read(&begun, &end); err != nil {
					t.Error(err)
					begun.Done()
				}
			})
		}
		begun.Wait()
		end.Done()
		all.Wait()
	}
	together()
	devservertest.Must(t, addProjectTo(t.Context(), s, "before"))
	devservertest.Must(t, errors.Join(server.Crash(), server.Up()))
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		connection, err := pgx.Connect(t.Context(), server.Address("postgres"))
		if err == nil {
			devservertest.Must(t, connection.Close(t.Context()))
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal(err)
		}
	}
	devservertest.Must(t, addProjectTo(t.Context(), s, "after"))
	together()
}
