package store

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

const (
	// temporaryName matches the names of the directories of databases without a file of their own, which SQLite keeps in memory
	// only for a single connection: everything else would wait for a long read.
	temporaryName = "agentplane-data-*"
	// abandonedAfter is the age from which on a temporary database is deleted if no process has it open.
	abandonedAfter = time.Minute
)

// newTemporary creates an empty database that only this user can read, in a directory of its own. It exists until it is closed, because
// SQLite opens its files again for each connection.
func newTemporary() (path string, err error) {
	removeAbandoned()
	empty, err := template()
	if err != nil {
		return "", err
	}
	if path, err = temporaryPath(); err != nil {
		return "", err
	}
	if err := os.WriteFile(path, empty, 0o600); err != nil {
		return "", errors.Join(err, removeTemporary(path))
	}
	return path, nil
}

// template returns an empty file with this program's schema. Migrations run only on it: copying it takes a thirtieth of their time.
var template = sync.OnceValues(func() (file []byte, err error) {
	path, err := temporaryPath()
	if err != nil {
		return nil, err
	}
	defer func() { _ = removeTemporary(path) }() // If that fails, removeAbandoned does it later.
	db, err := openDriver(path, url.Values{"_pragma": {"auto_vacuum(INCREMENTAL)", "journal_mode(WAL)", "synchronous(OFF)"}})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(sqliteSchema.migrate(context.Background(), db), db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// temporaryPath returns the path for a file in a new directory.
func temporaryPath() (path string, err error) {
	for _, root := range temporaryRoots() {
		if path, err = os.MkdirTemp(root, temporaryName); err == nil {
			break
		}
	}
	return filepath.Join(path, "data"), err
}

// removeTemporary deletes a temporary database with its directory.
func removeTemporary(path string) error { return os.RemoveAll(filepath.Dir(path)) }

// removeAbandoned deletes the temporary databases of processes that were killed, once.
var removeAbandoned = sync.OnceFunc(func() {
	for _, root := range temporaryRoots() {
		found, _ := filepath.Glob(filepath.Join(root, temporaryName, "data")) // The pattern is valid.
		for _, path := range found {
			if isAbandoned(path) {
				_ = removeTemporary(path) // The next process tries again.
			}
		}
	}
})

// isAbandoned reports whether a temporary database of this user is old, and no process has it open.
func isAbandoned(path string) bool {
	directory, err := os.Lstat(filepath.Dir(path))
	if err != nil || !directory.IsDir() || directory.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return false
	}
	file, err := os.Lstat(path)
	if err != nil || !file.Mode().IsRegular() || time.Since(file.ModTime()) < abandonedAfter {
		return false
	}
	// Only the last user of a file may give up its log.
	db, err := openDriver(path, url.Values{"_pragma": {"journal_mode(DELETE)"}})
	if err != nil {
		return false
	}
	defer db.Close()
	var mode string
	err = db.QueryRowContext(context.Background(), "PRAGMA journal_mode").Scan(&mode)
	return err == nil && mode == "delete"
}
