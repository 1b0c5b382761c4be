package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	engine "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqlite is a database of SQLite.
type sqlite struct {
	sqliteSQL
	path      string
	temporary bool
	reserve   *reserve
	log       *logCopy
	damage    atomic.Pointer[error] // The first that was found.
}

// busyTimeout is how many milliseconds a connection waits for another process.
const busyTimeout = 5000

// openDriver opens a database once the driver has the functions of this package: it hands them to connections without a lock.
func openDriver(dsn string) (*sql.DB, error) {
	if err := errors.Join(registerAnswer(), registerSubtrees(), registerTraceMemory()); err != nil {
		return nil, err
	}
	return sql.Open("sqlite", dsn)
}

// openSQLite opens the SQLite file at path. Without a path, it is a temporary file that exists until it is closed.
func openSQLite(ctx context.Context, path string) (*database, error) {
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
func openAt(ctx context.Context, path string, temporary bool) (s *database, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("open %q: %w", path, withCause(err))
		}
	}()
	synchronous := "synchronous(FULL)"
	if temporary {
		synchronous = "synchronous(OFF)"
	} else if err := checkDamage(ctx, path); err != nil {
		return nil, err
	}
	// auto_vacuum only has an effect before anything is written. In a file that was made without it, it is what VACUUM does.
	dsn, err := dataSource(path, "auto_vacuum(INCREMENTAL)", "journal_mode(WAL)", fmt.Sprintf("journal_size_limit(%d)", 4*keptLog), synchronous,
		"foreign_keys(ON)", fmt.Sprintf("busy_timeout(%d)", busyTimeout), fmt.Sprintf("wal_autocheckpoint(%d)", mostLogPages))
	if err != nil {
		return nil, err
	}
	dsn += "&_txlock=immediate"
	db, err := openDriver(dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // Transactions that write queue here instead of failing with SQLITE_BUSY.
	if !temporary {
		if err := prepareSchema(ctx, db); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	q := &sqlite{path: path, temporary: temporary, reserve: newReserve(path)}
	s = newDatabase(q, db)
	if err := errors.Join(s.ledger.load(ctx, s.db), s.loadAhead(ctx, s.db)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if s.readers, err = openReaders(path, synchronous); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	q.startCopying(ctx, s)
	if err := s.startIndexing(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openReaders opens the connections that don't write. One of them copies the log into the file.
func openReaders(path string, pragmas ...string) (*sql.DB, error) {
	dsn, err := dataSource(path, append(pragmas, "query_only(ON)", fmt.Sprintf("busy_timeout(%d)", busyTimeout))...)
	if err != nil {
		return nil, err
	}
	readers, err := openDriver(dsn)
	if err != nil {
		return nil, err
	}
	readers.SetMaxOpenConns(maxReaders + 1)
	readers.SetMaxIdleConns(maxReaders + 1)
	return readers, nil
}

// withCause implements backend, and stops writes if the file is damaged.
func (q *sqlite) withCause(err error) error {
	if err = withCause(err); errors.Is(err, ErrDamaged) {
		q.damage.CompareAndSwap(nil, &err)
	}
	return err
}

func (q *sqlite) writable() error {
	if found := q.damage.Load(); found != nil {
		return *found
	}
	return nil
}

func (q *sqlite) stop() { q.log.close() }

// closed deletes a temporary file.
func (q *sqlite) closed() error {
	if q.temporary {
		return removeTemporary(q.path)
	}
	return nil
}

// withCause replaces SQLite errors that mean ErrFull or ErrDamaged.
func withCause(err error) error {
	of, is := errors.AsType[*engine.Error](err)
	if !is {
		return err
	}
	switch of.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %s", ErrFull, of.Error())
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damaged(of.Error())
	}
	return err
}

// statement prepares a statement unless that of an earlier transaction is kept. SQLite would parse and plan a statement again each time that
// it gets a new limit, because the plan might depend on it, but not on an expression.
func (*sqlite) statement(t *Tx, text string) (readyStatement, error) {
	text = strings.ReplaceAll(text, " LIMIT ?", " LIMIT 0 + ?")
	if kept := t.kept.get(text); kept != nil {
		return t.tx.StmtContext(t.ctx, kept), nil
	}
	return t.tx.PrepareContext(t.ctx, text)
}

func (*sqlite) arguments(t *Tx, _ string, args []any) (taken []any, end func(), err error) {
	taken, end = ask(t.ctx, args)
	return taken, end, nil
}

func (*sqlite) row(row scanner) scanner { return row }

func (*sqlite) insert(t *Tx, text string, args []any) (int64, error) {
	result, err := t.change(text, args)
	if err == nil {
		return result.LastInsertId()
	}
	if of, is := errors.AsType[*engine.Error](err); is && of.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE {
		err = errors.Join(errTaken, err)
	}
	return 0, err
}

// stateOf relies on what is forgotten when the trace changes, because nobody else writes.
func (*sqlite) stateOf(t *Tx, trace traceKey) (string, error) {
	if t.traces.unchanged(trace, t.began) {
		return "unchanged", nil
	}
	return "", nil
}

func (*sqlite) shared() bool { return false }

func (*sqlite) now() time.Time { return time.Now() }

func (*sqlite) begin(_ context.Context, s *database, _ *Tx) (past, error) {
	return past{number: s.Commits(), indexed: s.index.before.Load(), ahead: s.ahead.Load()}, nil
}

func (*sqlite) count(*Tx) (int64, error) { return 0, nil }

// committed has the log looked at.
func (q *sqlite) committed(int64) {
	select {
	case q.log.wake <- struct{}{}:
	default: // It will be already.
	}
}

func (*sqlite) reading() *sql.TxOptions { return &sql.TxOptions{ReadOnly: true} }

// look reads the number before the snapshot is taken, which has at least as much.
func (*sqlite) look(s *database, t *Tx) (past, error) {
	number := s.Commits()
	_, err := queryOne(t, scanNumber, "PRAGMA user_version")
	return past{number: number}, err
}

func (*sqlite) passing(error) bool { return false }

func (*sqlite) occupied(t *Tx, workspaceID string) (int64, error) {
	return t.ledger.occupied(workspaceID), nil
}

func (*sqlite) occupiedNow(_ context.Context, s *database, workspaceID string) (int64, error) {
	return s.ledger.occupied(workspaceID), nil
}

// noteChangesBefore waits for the transaction that writes now, which is part of the next snapshots.
func (*sqlite) noteChangesBefore(ctx context.Context, s *database, run int64) error {
	giveBack, err := s.turn.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	s.index.before.Store(max(s.index.before.Load(), run))
	return nil
}

// emptyPages returns the size of a file, and what it takes without any rows.
func emptyPages(ctx context.Context, db *sql.DB) (now pages, empty int64, err error) {
	if now, err = scanPages(db.QueryRowContext(ctx, selectPages)); err != nil {
		return now, 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE rootpage > 0").Scan(&empty)
	return now, empty * now.size, err
}

func (*sqlite) size(t *Tx) (pages, error) { return queryOne(t, scanPages, selectPages) }

func (q *sqlite) spent(t *Tx) (pages, error) { return q.size(t) }

func (q *sqlite) makeRoom() bool { return q.reserve.use() }

func (q *sqlite) untidy(size int64) bool { return q.reserve.lacks(size) }

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
		return "", err
	}
	file, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	target, err := filepath.EvalSymlinks(abs)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	return filepath.ToSlash(target), nil
}
