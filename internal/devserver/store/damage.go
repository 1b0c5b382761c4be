package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// checkDamage reads a whole file that was not closed, as after a crash of the machine, which may have lost writes that the disk had
// confirmed: otherwise, damage would show up much later, in a query or in a backup. The last connection to close a file deletes its log,
// unless it is read-only as here, so that the next attempt finds the damage, too.
func checkDamage(ctx context.Context, path string) (err error) {
	file, err := ensureFile(path)
	if err != nil {
		return err
	}
	if log, err := os.Stat(file + "-wal"); err != nil || log.Size() == 0 {
		return nil
	}
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
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return damaged(err.Error())
	}
	if found != "ok" {
		return damaged(found)
	}
	return nil
}

func damaged(how string) error {
	return fmt.Errorf("the file is damaged: %s: restore a backup, or copy what can be read into a new file with the .recover command of the sqlite3 shell", how)
}
