package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	engine "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// InUseError means that another process serves a file.
type InUseError struct {
	Path string
	// Owner is the name that the other process has registered.
	Owner string
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("the file %q is in use by %s: stop that server or use another file", e.Path, e.Owner)
}

// Claim makes this process the only one that serves the file at path, by whichever name, until it closes the result or ends, in whatever way.
// Other processes get the owner's name in their error.
//
// The lock is an open transaction on a database beside the file: nobody else can write to it, but they can still read the
// owner's name.
//
// Any number of processes may use a database of PostgreSQL.
func Claim(ctx context.Context, path, owner string) (io.Closer, error) {
	if IsPostgres(path) {
		return io.NopCloser(nil), nil
	}
	file, err := ensureFile(path)
	if err != nil {
		return nil, err
	}
	db, err := openDriver(file+"-owner", url.Values{"_pragma": {"journal_mode(MEMORY)", "synchronous(OFF)"}})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, `
		BEGIN IMMEDIATE;
		CREATE TABLE IF NOT EXISTS owner (name TEXT NOT NULL);
		DELETE FROM owner;
		INSERT INTO owner (name) VALUES (?);
		COMMIT;
		BEGIN IMMEDIATE`, owner)
	if of, is := errors.AsType[*engine.Error](err); is && of.Code()&0xff == sqlite3.SQLITE_BUSY {
		taken := &InUseError{Path: path, Owner: "another process"}
		_ = db.QueryRowContext(ctx, "SELECT name FROM owner").Scan(&taken.Owner)
		return nil, errors.Join(taken, db.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("claim %q: %w", path, err), db.Close())
	}
	return db, nil
}
