package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
)

// damaged returns ErrDamaged with what was found, and what to do.
func damaged(found string) error {
	return fmt.Errorf("%w: %s: restore a backup, or copy what can be read into a new file with the .recover command of the sqlite3 shell",
		ErrDamaged, found)
}

// Check reads a whole file, which a server may use at the same time. The error is ErrDamaged if the file is damaged.
func Check(ctx context.Context, path string) error {
	if err := checkFile(path, "devserver check reads only SQLite files: for PostgreSQL, use pg_amcheck"); err != nil {
		return err
	}
	return readAll(ctx, path, "integrity_check(1)")
}

// checkDamage reads a whole file that was not closed, as after a crash of the machine, which may have lost writes that the disk had
// confirmed: otherwise, damage would show up much later, in a query or in a backup.
func checkDamage(ctx context.Context, path string) error {
	file, err := ensureFile(path)
	if err != nil {
		return err
	}
	if log, err := os.Stat(file + "-wal"); err == nil && log.Size() > 0 {
		return readAll(ctx, path, "quick_check(1)")
	}
	return nil
}

// readAll runs a pragma that reads a whole file. The last connection to close a file deletes its log, unless it is read-only as here, so that
// the next attempt finds the damage, too.
func readAll(ctx context.Context, path, pragma string) (err error) {
	db, err := openDriver(path, url.Values{"mode": {"ro"}, "_pragma": {patience}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA "+pragma).Scan(&found); err != nil {
		return withCause(err)
	}
	if found != "ok" {
		return damaged(found)
	}
	return nil
}
