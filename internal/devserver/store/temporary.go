package store

import (
	"context"
	"errors"
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
	var directory string
	for _, root := range temporaryRoots() {
		if directory, err = os.MkdirTemp(root, temporaryName); err == nil {
			break
		}
	}
	if err != nil {
		return "", err
	}
	path = filepath.Join(directory, "data")
	if err := os.WriteFile(path, empty.file, 0o600); err != nil {
		return "", errors.Join(err, removeTemporary(path))
	}
	return path, nil
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
	dsn, err := dataSource(path, "journal_mode(DELETE)")
	if err != nil {
		return false
	}
	db, err := openDriver(dsn)
	if err != nil {
		return false
	}
	defer db.Close()
	var mode string
	err = db.QueryRowContext(context.Background(), "PRAGMA journal_mode").Scan(&mode)
	return err == nil && mode == "delete"
}
