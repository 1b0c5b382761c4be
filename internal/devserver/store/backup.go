package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
)

// Backup copies a file, which a server may use at the same time, into one that must not exist. With the file of a key, it copies that, too: its
// name is that of the copy plus -key.
func Backup(ctx context.Context, path, to, key string) error {
	if err := checkFile(path, "devserver backup copies only SQLite files: use pg_dump for PostgreSQL, and copy the file of -seal-key, too"); err != nil {
		return err
	}
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	var secret []byte
	if key != "" {
		if secret, err = os.ReadFile(key); err != nil {
			return err
		}
	}
	return createFile(to, func(temporary string) error {
		err := vacuumInto(ctx, path, temporary)
		if err != nil {
			_ = os.Remove(temporary + "-journal") // SQLite leaves it on a full disk.
		}
		if err != nil || secret == nil {
			return err
		}
		return createFile(to+"-key", func(temporary string) error {
			return os.WriteFile(temporary, secret, 0o600) //nolint:gosec // The user names it.
		})
	})
}

// vacuumInto writes what a file has at one moment into an empty file. Transactions that write don't wait for that.
func vacuumInto(ctx context.Context, path, empty string) (err error) {
	db, err := openDriver(path, url.Values{"mode": {"ro"}, "_pragma": {patience}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", empty); err != nil {
		return errors.Join(withCause(err), ctx.Err())
	}
	return nil
}

// createFile creates a file that only this user can read, with all of what write writes, or not at all. If the process is killed, a file with
// another name remains.
func createFile(path string, write func(temporary string) error) error {
	if err := isFree(path); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	err = errors.Join(write(file.Name()), file.Sync(), file.Close())
	if err == nil {
		err = isFree(path)
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return syncDirectory(filepath.Dir(path))
}

func isFree(path string) error {
	_, err := os.Lstat(path)
	if err == nil {
		return fmt.Errorf("the file %q exists: use another name, or delete it first", path)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// syncDirectory makes a new name last.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil // It can't open directories.
	}
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
