package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// damaged returns ErrDamaged with what was found, and what to do.
func damaged(found string) error {
	return fmt.Errorf("%w: %s: restore a backup, or copy what can be read into a new file with the .recover command of the sqlite3 shell",
		ErrDamaged, found)
}

// Check reads a whole file, which a server may use at the same time. The error is ErrDamaged if the file is damaged.
func Check(ctx context.Context, path string) error {
	if IsPostgres(path) {
		return errors.New("devserver check reads only SQLite files: for PostgreSQL, use pg_amcheck")
	}
	if _, err := os.Stat(path); err != nil {
		return err // Opening would create it.
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
	dsn, err := dataSource(path, "busy_timeout(5000)")
	if err != nil {
		return err
	}
	db, err := openDriver(dsn + "&mode=ro")
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
