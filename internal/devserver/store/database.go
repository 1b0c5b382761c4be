package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/turns"
)

// database is an open database of any kind.
type database struct {
	backend    backend
	db         *sql.DB
	group      groupCommit
	statements statements
	turn       queue
	commits    atomic.Int64

	// readers is the pool of connections for reading.
	readers    *sql.DB
	asked      statements
	readTurn   queue
	tracedTurn queue
	longTurn   *turns.Turns

	index *searchIndex

	replica *Replica // Nil unless Replicate was called.

	marked chan struct{} // What Marked returns.
	ledger ledger
}

// queue is a semaphore for the connections. The longest waiter is next, which database/sql doesn't guarantee.
type queue chan struct{}

// take waits for a turn; call the result to return it.
func (t queue) take(ctx context.Context) (giveBack func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, errors.Join(ErrBusy, ctx.Err())
	}
}

// maxReaders is the number of concurrent read transactions, maxTraced how many of them may read traced data, maxLong how many of those may be
// long, and maxLongEach how many long ones each workspace may have.
const (
	maxReaders  = 10
	maxTraced   = 8
	maxLong     = 6
	maxLongEach = maxLong / 2
)

// errTaken says that a row with the same unique columns exists.
var errTaken = errors.New("there is such a row already")

// Open opens data, and migrates its schema: the SQLite file at a path, which is created if it doesn't exist, or the PostgreSQL database at
// an address. If data is empty, it is a temporary file that exists until it is
// closed.
func Open(ctx context.Context, data string) (Store, error) {
	s, err := open(ctx, data)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func open(ctx context.Context, data string) (*database, error) {
	if IsPostgres(data) {
		return openPostgres(ctx, data)
	}
	return openSQLite(ctx, data)
}

func newDatabase(of backend, db *sql.DB) *database {
	s := &database{
		backend: of, db: db, turn: make(queue, 1), readTurn: make(queue, maxReaders), tracedTurn: make(queue, maxTraced),
		longTurn: turns.New(maxLong, maxLongEach), marked: make(chan struct{}, 1),
	}
	s.group.transact, s.group.now = s.transact, time.Now
	return s
}

func (s *database) Close() error {
	s.index.close()
	var err error
	if s.replica != nil {
		err = s.replica.db.Close()
	}
	if s.readers != nil { // Nil if opening failed before.
		err = errors.Join(err, s.readers.Close())
	}
	return errors.Join(err, s.db.Close(), s.backend.closed()) // The last connection to close cleans up a file.
}

func (s *database) Commits() int64 { return s.commits.Load() }

func (s *database) Do(ctx context.Context, work func(*Tx) error) error {
	return s.transact(ctx, work)
}

func (s *database) Tend(ctx context.Context, work func(*Tx) error) error {
	return s.commit(ctx, false, work)
}

func (s *database) DoGrouped(ctx context.Context, work func(*Tx) error) error {
	return s.group.do(ctx, work)
}

func (s *database) transact(ctx context.Context, work func(*Tx) error) error {
	return s.commit(ctx, true, work)
}

// commit runs a transaction, which counts among Commits or not. One that deletes and finds the disk full runs again if room can be
// made.
func (s *database) commit(ctx context.Context, counted bool, work func(*Tx) error) error {
	deletes := false
	err := s.once(ctx, counted, func(tx *Tx) error {
		err := work(tx)
		deletes = tx.deletes
		return err
	})
	if deletes && errors.Is(err, ErrFull) && s.backend.makeRoom() {
		err = s.once(ctx, counted, work)
	}
	return err
}

func (s *database) once(ctx context.Context, counted bool, work func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	giveBack, err := s.turn.take(ctx) // Callers whose client has left don't stay in the queue.
	if err != nil {
		return err
	}
	defer giveBack()
	s.statements.prepare(ctx, s.db)
	connection, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", s.backend.withCause(err))
	}
	defer connection.Close()
	ctx = context.WithoutCancel(ctx)
	tx, err := connection.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", s.backend.withCause(err))
	}
	defer tx.Rollback() //nolint:errcheck // After a commit there is nothing to roll back.
	t := &Tx{
		ctx: ctx, backend: s.backend, tx: tx, prepared: map[string]readyStatement{}, kept: &s.statements, snapshot: s.Commits(),
		replicated: s.replica != nil, index: s.index,
	}
	if err := work(t); err != nil {
		return s.backend.withCause(err)
	}
	if err := t.markChanged(); err != nil {
		return s.backend.withCause(err)
	}
	size, err := t.close()
	if err != nil {
		return s.backend.withCause(err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", s.backend.withCause(err))
	}
	if counted {
		s.commits.Add(1)
	}
	s.index.notice(t.unindexed, t.unindexedBytes)
	if len(t.changes) > 0 {
		s.replica.add(t.changes)
	}
	if t.settled != nil {
		s.ledger.commit(t.settled, size)
	}
	if t.marked || s.backend.untidy(size.all*size.size) {
		select {
		case s.marked <- struct{}{}:
		default: // It is to be noticed already.
		}
	}
	return nil
}

// Read implements Store.
func (s *database) Read(ctx context.Context, work func(*Tx) error) error {
	err := s.read(ctx, work)
	if err != nil && ctx.Err() != nil && !errors.Is(err, ErrBusy) {
		return ctx.Err() // The database only reports that it was interrupted.
	}
	return s.backend.withCause(err)
}

// ReadTraced implements Store.
func (s *database) ReadTraced(ctx context.Context, work func(*Tx) error) error {
	giveBack, err := s.tracedTurn.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	return s.Read(ctx, work)
}

// ReadLong implements Store.
func (s *database) ReadLong(ctx context.Context, workspaceID string, work func(*Tx) error) error {
	giveBack, err := s.longTurn.Take(ctx, workspaceID)
	if err != nil {
		return errors.Join(ErrBusy, err)
	}
	defer giveBack()
	return s.ReadTraced(ctx, work)
}

func (s *database) read(ctx context.Context, work func(*Tx) error) error {
	giveBack, err := s.readTurn.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	s.asked.prepare(ctx, s.readers)
	connection, err := s.readers.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer connection.Close()
	snapshot := s.Commits()
	// Statements end with ctx. The transaction doesn't, because that would close the connection.
	options, first := s.backend.reading()
	tx, err := connection.BeginTx(context.WithoutCancel(ctx), options)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // There is nothing to lose.
	end, err := s.backend.interruptible(ctx, connection)
	if err != nil {
		return err
	}
	defer end() // Before the rollback, which nothing must interrupt.
	t := &Tx{
		ctx: ctx, backend: s.backend, tx: tx, prepared: map[string]readyStatement{}, kept: &s.asked, snapshot: snapshot, readOnly: true, index: s.index,
	}
	// The first statement takes the snapshot. Running it here makes the snapshot older than any time that work reads.
	if _, err := queryOne(t, scanNumber, first); err != nil {
		return err
	}
	return work(t)
}
