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

	engine "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqlite is a database of SQLite.
type sqlite struct {
	sqliteSQL
	path string
	log  *logCopy
}

// patience makes a connection wait for another process, for so many milliseconds.
const patience = "busy_timeout(5000)"

// openDriver opens a file with options of the driver, which has the functions of this package then: it hands them to connections without a lock.
// The file is created here because it contains secrets: SQLite would make it readable for everyone, and gives its side files the mode of
// the main file.
func openDriver(path string, options url.Values) (*sql.DB, error) {
	if err := registerFunctions(); err != nil {
		return nil, err
	}
	file, err := ensureFile(path)
	if err != nil {
		return nil, err
	}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", Path: file, RawQuery: options.Encode()}).String())
}

// openSQLite opens the SQLite file at path. Without a path, it is a temporary file that exists until it is closed.
func openSQLite(ctx context.Context, path string) (*Store, error) {
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

// openAt opens a file. A temporary one has the schema of this program, and it is never read again.
func openAt(ctx context.Context, path string, temporary bool) (s *Store, err error) {
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
	db, err := openDriver(path, url.Values{"_txlock": {"immediate"}, "_pragma": {
		"auto_vacuum(INCREMENTAL)", "journal_mode(WAL)", fmt.Sprintf("journal_size_limit(%d)", 4*keptLog), synchronous,
		"foreign_keys(ON)", patience, fmt.Sprintf("wal_autocheckpoint(%d)", mostLogPages),
	}})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // Transactions that write queue here instead of failing with SQLITE_BUSY.
	if !temporary {
		if err := sqliteSchema.migrate(ctx, db); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	q := &sqlite{path: path}
	s = newDatabase(q, db)
	s.spare = newSpareFile(path)
	if temporary {
		s.temporary = path
	}
	if err := s.loadAhead(ctx, s.db); err != nil {
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
	readers, err := openDriver(path, url.Values{"_pragma": append(pragmas, "query_only(ON)", patience)})
	if err != nil {
		return nil, err
	}
	readers.SetMaxOpenConns(maxReaders + 1)
	readers.SetMaxIdleConns(maxReaders + 1)
	return readers, nil
}

func (*sqlite) withCause(err error) error { return withCause(err) }

func (q *sqlite) stop() { q.log.close() }

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
	return ask(t, args)
}

func (*sqlite) row(row scanner) scanner { return row }

// insert runs a statement that adds one row, and returns its number. The error is errTaken if there is a row with the same unique columns;
// the transaction goes on.
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

// stateOf relies on the times of changes, because no other process writes.
func (*sqlite) stateOf(t *Tx, trace traceKey) (string, error) {
	return t.traces.stateSince(trace, t.began), nil
}

// begin reads the number before the first statement takes the snapshot, which has at least as much.
func (*sqlite) begin(_ context.Context, s *Store, t *Tx) (before snapshot, err error) {
	before.number, before.priced = s.Commits(), s.Priced()
	if !t.readOnly {
		before.indexed, before.ahead = s.index.before.Load(), s.ahead.Load()
		return before, nil
	}
	_, err = queryOne(t, scanNumber, "PRAGMA user_version")
	return before, err
}

// occupied adds a share of what isn't bodies or attachments, but rows, labels, indexes, and room in pages.
func (q *sqlite) occupied(t *Tx, own Space) (int64, error) {
	all, err := t.spaces("TRUE")
	if err != nil {
		return 0, err
	}
	now, err := q.size(t)
	if err != nil {
		return 0, err
	}
	empty, err := queryOne(t, scanNumber, "SELECT count(*) FROM sqlite_schema WHERE rootpage > 0") // The pages of a file without rows.
	shared := (now.all-now.free-empty)*now.size - all.Bodies - all.Attachments
	return own.Bodies + own.Attachments + share(max(0, shared), own.Rows+own.Labels, all.Rows+all.Labels), err
}

// share is the part of a number of bytes that a part of a whole has.
func share(bytes, part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	return int64(float64(bytes) * float64(part) / float64(whole))
}

// noteChangesBefore waits for the transaction that writes now, which is part of the next snapshots.
func (*sqlite) noteChangesBefore(ctx context.Context, s *Store, run int64) error {
	giveBack, err := s.turn.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	s.index.before.Store(max(s.index.before.Load(), run))
	return nil
}

func (*sqlite) size(t *Tx) (pages, error) { return queryOne(t, scanPages, selectPages) }

// checkFile checks that there is a file, which opening would create. For a database of PostgreSQL, the error says what to do instead.
func checkFile(path, instead string) error {
	if IsPostgres(path) {
		return errors.New(instead)
	}
	_, err := os.Stat(path)
	return err
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
