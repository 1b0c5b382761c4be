package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	engine "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/turns"
)

// sqlite is an open database of SQLite.
type sqlite struct {
	path       string
	temporary  bool
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

	reserve *reserve
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

// busyTimeout is how many milliseconds a connection waits for another process.
const busyTimeout = 5000

// openDriver opens a database once the driver has the functions of this package: it hands them to connections without a lock.
func openDriver(dsn string) (*sql.DB, error) {
	if err := errors.Join(registerAnswer(), registerSubtrees(), registerTraceMemory()); err != nil {
		return nil, err
	}
	return sql.Open("sqlite", dsn)
}

// Open opens the SQLite file at path, creates it if it doesn't exist, and migrates its schema. Without a path, it is a temporary file
// that exists until it is closed.
func Open(ctx context.Context, path string) (Store, error) {
	s, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func open(ctx context.Context, path string) (*sqlite, error) {
	if path != "" {
		return openAt(ctx, path, false)
	}
	path, err := newTemporary()
	if err != nil {
		return nil, fmt.Errorf("create a temporary database: %w", err)
	}
	s, err := openAt(ctx, path, true)
	if err != nil {
		return nil, errors.Join(err, removeTemporary(path))
	}
	return s, nil
}

// openAt opens a file. A temporary one has the schema of this program, and nobody will read it again.
func openAt(ctx context.Context, path string, temporary bool) (*sqlite, error) {
	synchronous := "synchronous(FULL)"
	if temporary {
		synchronous = "synchronous(OFF)"
	} else if err := checkDamage(ctx, path); err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	// auto_vacuum only has an effect before anything is written. In a file of an earlier version, it is what VACUUM does.
	dsn, err := dataSource(path, "auto_vacuum(INCREMENTAL)", "journal_mode(WAL)", fmt.Sprintf("journal_size_limit(%d)", 4*keptLog), synchronous,
		"foreign_keys(ON)", fmt.Sprintf("busy_timeout(%d)", busyTimeout))
	if err != nil {
		return nil, err
	}
	dsn += "&_txlock=immediate"
	db, err := openDriver(dsn)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	db.SetMaxOpenConns(1) // Transactions that write queue here instead of failing with SQLITE_BUSY.
	if !temporary {
		if err := prepareSchema(ctx, db); err != nil {
			return nil, errors.Join(fmt.Errorf("open %q: %w", path, err), db.Close())
		}
	}
	s := &sqlite{
		path: path, temporary: temporary, db: db, reserve: newReserve(path), turn: make(queue, 1), readTurn: make(queue, maxReaders),
		tracedTurn: make(queue, maxTraced), longTurn: turns.New(maxLong, maxLongEach), marked: make(chan struct{}, 1),
	}
	s.group.transact, s.group.now = s.transact, time.Now
	if err := s.ledger.load(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("open %q: %w", path, err), db.Close())
	}
	if s.readers, err = openReaders(path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := s.startIndexing(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func openReaders(path string) (*sql.DB, error) {
	dsn, err := dataSource(path, "query_only(ON)", fmt.Sprintf("busy_timeout(%d)", busyTimeout))
	if err != nil {
		return nil, err
	}
	readers, err := openDriver(dsn)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	readers.SetMaxOpenConns(maxReaders)
	readers.SetMaxIdleConns(maxReaders)
	return readers, nil
}

func (s *sqlite) Close() error {
	s.index.close()
	var err error
	if s.replica != nil {
		err = s.replica.db.Close()
	}
	err = errors.Join(err, s.readers.Close(), s.db.Close()) // The last connection to close cleans up the file.
	if s.temporary {
		err = errors.Join(err, removeTemporary(s.path))
	}
	return err
}

func (s *sqlite) Commits() int64 { return s.commits.Load() }

func (s *sqlite) Do(ctx context.Context, work func(*Tx) error) error {
	return s.transact(ctx, work)
}

func (s *sqlite) Tend(ctx context.Context, work func(*Tx) error) error {
	return s.commit(ctx, false, work)
}

func (s *sqlite) DoGrouped(ctx context.Context, work func(*Tx) error) error {
	return s.group.do(ctx, work)
}

func (s *sqlite) transact(ctx context.Context, work func(*Tx) error) error {
	return s.commit(ctx, true, work)
}

// commit runs a transaction, which counts among Commits or not. One that deletes and finds the disk full runs again with the space of the
// reserve.
func (s *sqlite) commit(ctx context.Context, counted bool, work func(*Tx) error) error {
	deletes := false
	err := s.once(ctx, counted, func(tx *Tx) error {
		err := work(tx)
		deletes = tx.deletes
		return err
	})
	if deletes && errors.Is(err, ErrFull) && s.reserve.use() {
		err = s.once(ctx, counted, work)
	}
	return err
}

func (s *sqlite) once(ctx context.Context, counted bool, work func(*Tx) error) error {
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
		return fmt.Errorf("begin: %w", err)
	}
	defer connection.Close()
	ctx = context.WithoutCancel(ctx)
	tx, err := connection.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // After a commit there is nothing to roll back.
	t := &Tx{
		ctx: ctx, tx: tx, prepared: map[string]*sql.Stmt{}, kept: &s.statements, snapshot: s.Commits(), replicated: s.replica != nil,
		index: s.index,
	}
	if err := work(t); err != nil {
		return withCause(err)
	}
	if err := t.markChanged(); err != nil {
		return withCause(err)
	}
	size, err := t.close()
	if err != nil {
		return withCause(err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", withCause(err))
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
	if t.marked || s.reserve.lacks(size.all*size.size) {
		select {
		case s.marked <- struct{}{}:
		default: // It is to be noticed already.
		}
	}
	return nil
}

// Read implements Store.
func (s *sqlite) Read(ctx context.Context, work func(*Tx) error) error {
	err := s.read(ctx, work)
	if err != nil && ctx.Err() != nil && !errors.Is(err, ErrBusy) {
		return ctx.Err() // SQLite only reports that it was interrupted.
	}
	return err
}

// ReadTraced implements Store.
func (s *sqlite) ReadTraced(ctx context.Context, work func(*Tx) error) error {
	giveBack, err := s.tracedTurn.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	return s.Read(ctx, work)
}

// ReadLong implements Store.
func (s *sqlite) ReadLong(ctx context.Context, workspaceID string, work func(*Tx) error) error {
	giveBack, err := s.longTurn.Take(ctx, workspaceID)
	if err != nil {
		return errors.Join(ErrBusy, err)
	}
	defer giveBack()
	return s.ReadTraced(ctx, work)
}

func (s *sqlite) read(ctx context.Context, work func(*Tx) error) error {
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
	tx, err := connection.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // There is nothing to lose.
	end, err := interruptible(ctx, connection)
	if err != nil {
		return err
	}
	defer end() // Before the rollback, which nothing must interrupt.
	t := &Tx{ctx: ctx, tx: tx, prepared: map[string]*sql.Stmt{}, kept: &s.asked, snapshot: snapshot, readOnly: true, index: s.index}
	// The first statement takes the snapshot. Running it here makes the snapshot older than any time that work reads.
	if _, err := queryOne(t, scanNumber, "PRAGMA user_version"); err != nil {
		return err
	}
	return work(t)
}

// withCause adds ErrFull to SQLite errors that mean it.
func withCause(err error) error {
	if of, is := errors.AsType[*engine.Error](err); is && of.Code()&0xff == sqlite3.SQLITE_FULL {
		return errors.Join(ErrFull, err)
	}
	return err
}

// dataSource returns the data source name for the driver. The file is created here because it contains secrets: SQLite
// would make it readable for everyone, and gives its side files the mode of the main file.
func dataSource(path string, pragmas ...string) (string, error) {
	query := url.Values{"_pragma": pragmas}.Encode()
	file, err := ensureFile(path)
	if err != nil {
		return "", err
	}
	return (&url.URL{Scheme: "file", Path: file, RawQuery: query}).String(), nil
}

// ensureFile creates the file unless it exists, and returns its absolute path without symbolic links, with slashes.
func ensureFile(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("open %q: %w", path, err)
	}
	file, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", fmt.Errorf("open %q: %w", path, err)
	}
	target, err := filepath.EvalSymlinks(abs)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("open %q: %w", path, err)
	}
	return filepath.ToSlash(target), nil
}
