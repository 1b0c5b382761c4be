package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	engine "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqlite is an open database of SQLite.
type sqlite struct {
	db         *sql.DB
	group      groupCommit
	statements statements
}

// Open opens the SQLite file at path, creates it when it does not exist and brings its schema up to date. An empty path
// keeps everything in memory.
func Open(ctx context.Context, path string) (Store, error) {
	dsn, err := dataSource(path)
	if err != nil {
		return nil, err
	}
	if err := registerSays(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	// One connection: a database in memory belongs to its connection, and for a file it makes transactions queue here
	// instead of failing with SQLITE_BUSY.
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("open %q: %w", path, err), db.Close())
	}
	s := &sqlite{db: db}
	s.group.transact = s.transact
	return s, nil
}

func (s *sqlite) Close() error { return s.db.Close() }

func (s *sqlite) Do(ctx context.Context, work func(Tx) error) error {
	return s.transact(ctx, func(tx *sqliteTx) error { return work(tx) })
}

func (s *sqlite) DoGrouped(ctx context.Context, work func(Tx) error) error {
	return s.group.do(ctx, work)
}

func (s *sqlite) transact(ctx context.Context, work func(*sqliteTx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	s.statements.prepare(ctx, s.db)
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // After a commit there is nothing to roll back.
	if err := work(&sqliteTx{ctx: ctx, tx: tx, prepared: map[string]*sql.Stmt{}, kept: &s.statements}); err != nil {
		return withCause(err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", withCause(err))
	}
	return nil
}

// withCause adds ErrFull to an error of SQLite that means it.
func withCause(err error) error {
	if of, is := errors.AsType[*engine.Error](err); is && of.Code()&0xff == sqlite3.SQLITE_FULL {
		return errors.Join(ErrFull, err)
	}
	return err
}

// dataSource names the database for the driver. The file is created here because it holds secrets: SQLite would make it
// readable for everyone, and gives its side files the mode of the main one.
func dataSource(path string) (string, error) {
	query := url.Values{
		"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)", "busy_timeout(5000)"},
		"_txlock": {"immediate"},
	}.Encode()
	if path == "" {
		return "file::memory:?" + query, nil
	}
	file, err := ensureFile(path)
	if err != nil {
		return "", err
	}
	return (&url.URL{Scheme: "file", Path: file, RawQuery: query}).String(), nil
}

// ensureFile makes the file unless it is there, and returns its whole path with slashes.
func ensureFile(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("open %q: %w", path, err)
	}
	file, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", fmt.Errorf("open %q: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return "", fmt.Errorf("open %q: %w", path, err)
	}
	return filepath.ToSlash(abs), nil
}
