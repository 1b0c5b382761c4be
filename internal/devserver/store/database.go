package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/turns"
)

// Store persists the data of the services in a database.
type Store struct {
	backend    backend
	db         *sql.DB
	group      groupCommit
	statements statements
	turn       queue
	commits    atomic.Int64
	priced     atomic.Int64 // What Priced returns.
	ahead      atomic.Int64 // What Ahead returns, in microseconds.
	waiting    atomic.Int64 // For turn.
	full       atomic.Bool  // What Full returns.
	wrote      atomic.Pointer[func(took time.Duration)]

	// readers is the pool of connections for reading.
	readers    *sql.DB
	asked      statements
	readTurn   queue
	tracedTurn queue
	longTurn   *turns.Turns

	index *searchIndex

	lagging atomic.Pointer[Lagging] // Nil unless Lagging was called.

	marked    chan struct{} // What Marked returns.
	committed chan struct{} // Receives a value after transactions that write, for what the backend does in the background.
	traces    *traceCache

	// outdated is why this program can no longer use the database: a newer one has migrated it.
	outdated atomic.Pointer[error]

	// damage is the first ErrDamaged.
	damage atomic.Pointer[error]

	shared    bool             // What Shared returns.
	now       func() time.Time // What Now returns.
	unsafe    string           // What Unsafe returns.
	temporary string           // The path of a file that is deleted when it is closed; empty if the data are kept.
	spare     *spareFile
	holder    string // The name of this one among those that share the data.
	leases    leases
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

// maxReaders is the number of concurrent read transactions, maxTraced how many of them may read traced data, and maxLong how many of those
// may be long, however many cores there are.
const (
	maxReaders = 10
	maxTraced  = 8
	maxLong    = 6
)

// beginOn begins a transaction on a connection of a pool. A connection that was lost while it was idle is replaced.
func (s *Store) beginOn(ctx context.Context, pool *sql.DB, options *sql.TxOptions) (*sql.Conn, *sql.Tx, error) {
	if reason := s.outdated.Load(); reason != nil {
		return nil, nil, errors.Join(ErrUnavailable, *reason)
	}
	for try := 0; ; try++ {
		connection, err := pool.Conn(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("begin: %w", s.ended(ctx, err))
		}
		// Statements end with ctx. The transaction doesn't, because that would close the connection.
		tx, err := connection.BeginTx(context.WithoutCancel(ctx), options)
		if err == nil {
			return connection, tx, nil
		}
		err = errors.Join(s.withCause(err), connection.Close())
		if !errors.Is(err, ErrUnavailable) || try == maxReaders {
			return nil, nil, fmt.Errorf("begin: %w", err)
		}
	}
}

// ended returns why a transaction couldn't begin: its caller may have left.
func (s *Store) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.Join(ErrBusy, ctx.Err())
	}
	return s.withCause(err)
}

// learn notes how many transactions there have been, the last that has changed prices, and what the clock has been advanced by.
func (s *Store) learn(of snapshot) {
	raise(&s.commits, of.number)
	raise(&s.priced, of.priced)
	raise(&s.ahead, of.ahead)
}

func raise(known *atomic.Int64, to int64) {
	for {
		before := known.Load()
		if to <= before || known.CompareAndSwap(before, to) {
			return
		}
	}
}

// longReads returns how many concurrent reads may be long, and how many of them each workspace may have. As they compute all the time, a
// workspace leaves half of the cores to others: three of them on two cores made requests to the control plane wait for up to 0.2 s.
func longReads() (all, each int) {
	all = min(maxLong, max(2, runtime.GOMAXPROCS(0)))
	return all, all / 2
}

var (
	// errTaken means that a row with the same unique columns exists.
	errTaken = errors.New("there is such a row already")
	// errConflict means that the database has ended one of several transactions that could not go on together: the same work may succeed now.
	errConflict = errors.New("conflict with another transaction")
)

// Open opens data, and migrates its schema: the SQLite file at a path, which is created if it doesn't exist, or the PostgreSQL database at
// an address. If data is empty, it is a temporary file that exists until it is
// closed.
func Open(ctx context.Context, data string) (*Store, error) {
	if IsPostgres(data) {
		return openPostgres(ctx, data)
	}
	return openSQLite(ctx, data)
}

func newDatabase(of backend, db *sql.DB) *Store {
	s := &Store{
		backend: of, db: db, turn: make(queue, 1), readTurn: make(queue, maxReaders), tracedTurn: make(queue, maxTraced),
		longTurn: turns.New(longReads()), marked: make(chan struct{}, 1), committed: make(chan struct{}, 1), now: time.Now, holder: rand.Text(),
		traces: &traceCache{},
	}
	s.group.transact, s.group.now = s.transact, time.Now
	return s
}

// Close closes the database; a file can be opened again.
func (s *Store) Close() error {
	s.StopIndexing()
	s.leases.end()
	s.backend.stop()
	var err error
	if lagging := s.lagging.Load(); lagging != nil {
		err = lagging.db.Close()
	}
	if s.readers != nil { // Nil if opening failed before.
		err = errors.Join(err, s.readers.Close())
	}
	err = errors.Join(err, s.db.Close()) // The last connection to close cleans up a file.
	if s.temporary != "" {
		err = errors.Join(err, removeTemporary(s.temporary))
	}
	return err
}

// Commits is the number of transactions so far that have changed something. If other processes use the database, it is what this one
// knows: it learns of others within a second, and with each transaction of its own.
func (s *Store) Commits() int64 { return s.commits.Load() }

// Priced is the number of the last transaction that has changed model prices, as far as this process knows.
func (s *Store) Priced() int64 { return s.priced.Load() }

// Shared reports whether other processes may use the database at the same time.
func (s *Store) Shared() bool { return s.shared }

// Unsafe names the settings of the database with which a crash of its machine may lose what was committed; empty if it has none.
func (s *Store) Unsafe() string { return s.unsafe }

// Now is the time: that of the database, if it is shared.
func (s *Store) Now() time.Time { return s.now() }

// Do runs work in one transaction: committed if work returns nil, rolled back otherwise. A cancelled ctx prevents work
// from starting, but never stops it halfway.
func (s *Store) Do(ctx context.Context, work func(*Tx) error) error {
	return s.transact(ctx, nil, work)
}

// Tend is Do for work that changes nothing that others see, such as rolled-up figures. It doesn't count among Commits.
func (s *Store) Tend(ctx context.Context, work func(*Tx) error) error {
	return s.commit(ctx, work, scope{})
}

// DoGrouped is Do for many concurrent writers: work that arrives while a transaction is being written to disk is
// combined into the next transaction and shares the wait for the disk. Like Do, it returns when the work is durable. An
// error rolls back only the work that returned it. Work may be repeated, because other work has failed.
func (s *Store) DoGrouped(ctx context.Context, expected Expected, work func(*Tx) error) error {
	return s.group.do(ctx, expected, work)
}

// transact runs a transaction that writes to some workspaces, or anything if workspaces is nil.
func (s *Store) transact(ctx context.Context, workspaces []string, work func(*Tx) error) error {
	return s.commit(ctx, work, scope{counted: true, workspaces: workspaces})
}

// scope reports what a transaction may do: whether it counts among Commits, if it changes something, and to which workspaces it may write.
type scope struct {
	counted    bool
	workspaces []string
}

// mostRepeats is how often a transaction is repeated that the database has ended because of another one.
const mostRepeats = 10

// commit runs a transaction. One that deletes and finds the disk full runs again if room can be made.
func (s *Store) commit(ctx context.Context, work func(*Tx) error, of scope) error {
	deletes := false
	var err error
	for try := 0; try <= mostRepeats; try++ {
		err = s.once(ctx, func(tx *Tx) error {
			err := work(tx)
			deletes = tx.deletes
			return err
		}, of)
		if !errors.Is(err, errConflict) {
			break
		}
	}
	if deletes && errors.Is(err, ErrFull) && s.spare.remove() {
		err = s.once(ctx, work, of)
	}
	if errors.Is(err, ErrFull) {
		s.full.Store(true)
	}
	return err
}

func (s *Store) once(ctx context.Context, work func(*Tx) error, of scope) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.waiting.Add(1)
	giveBack, err := s.turn.take(ctx) // Callers whose client has left don't stay in the queue.
	s.waiting.Add(-1)
	if err != nil {
		return err
	}
	defer giveBack()
	began := time.Now()
	if wrote := s.wrote.Load(); wrote != nil {
		defer func() { (*wrote)(time.Since(began)) }()
	}
	s.statements.prepare(ctx, s.db)
	connection, tx, err := s.beginOn(ctx, s.db, nil)
	if err != nil {
		return err
	}
	defer connection.Close()
	defer tx.Rollback() //nolint:errcheck // After a commit there is nothing to roll back.
	lasting := context.WithoutCancel(ctx)
	t := &Tx{
		ctx: lasting, db: s, backend: s.backend, tx: tx, prepared: map[string]readyStatement{}, kept: &s.statements,
		index: s.index, scope: of,
	}
	if t.snapshot, err = s.backend.begin(ctx, s, t); err != nil {
		return s.ended(ctx, err)
	}
	number, lagging, err := s.complete(t, work)
	if found := s.damage.Load(); err == nil && found != nil {
		err = *found // Work may have ignored it.
	}
	if err != nil {
		return s.withCause(err)
	}
	defer s.traces.change(t)()
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", s.withCause(err))
	}
	s.learn(snapshot{number: number, ahead: t.snapshot.ahead})
	if number == 0 && of.counted && t.wrote {
		number = s.commits.Add(1)
	}
	if t.priced {
		raise(&s.priced, number)
	}
	if number > 0 || !s.shared {
		signal(s.committed)
	}
	s.index.notice(t.unindexed, t.unindexedBytes)
	if t.marked {
		signal(s.marked)
	}
	if l := s.lagging.Load(); lagging.rows != nil && !s.shared {
		return l.db.Tend(lasting, func(tx *Tx) error { return l.store(tx, lagging) })
	}
	return nil
}

// signal sends a value to a channel with room for one, unless there is one already.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// complete runs work, and stores what follows from it. It returns the number of the transaction, if the database counts it,
// and a snapshot for Lagging.
func (s *Store) complete(t *Tx, work func(*Tx) error) (number int64, lagging tableSnapshot, err error) {
	if err := work(t); err != nil {
		return 0, lagging, err
	}
	if err := s.backend.saveAll(t); err != nil {
		return 0, lagging, err
	}
	if err := t.markChanged(); err != nil {
		return 0, lagging, err
	}
	if err := t.settle(); err != nil {
		return 0, lagging, err
	}
	if s.shared && t.scope.counted && t.wrote {
		if number, err = t.count(); err != nil {
			return 0, lagging, err
		}
	}
	// Snapshots are in the order of the commits: transactions whose numbers come later wait for this one now.
	if l := s.lagging.Load(); l != nil && (t.lags || t.endsLag) {
		if lagging, err = l.take(t); err == nil && s.shared {
			err = l.store(t, lagging)
		}
	}
	return number, lagging, err
}

// withCause is that of the backend, and stops writes if the data are damaged.
func (s *Store) withCause(err error) error {
	if err = s.backend.withCause(err); errors.Is(err, ErrDamaged) {
		s.damage.CompareAndSwap(nil, &err)
	}
	return err
}
