package store

import (
	"errors"
)

// ErrNotFound means that the workspace has no row with the ID.
var ErrNotFound = errors.New("no such row")

// Missing clears err if it is ErrNotFound, and reports whether it was.
func Missing(err *error) bool {
	if !errors.Is(*err, ErrNotFound) {
		return false
	}
	*err = nil
	return true
}

// ErrFull means that the disk is full. Nothing was written.
var ErrFull = errors.New("no space left on the disk")

// ErrDamaged means that a file is damaged. Nothing is written after that.
var ErrDamaged = errors.New("the file is damaged")

// ErrBusy means that the context of some work ended before its turn came.
var ErrBusy = errors.New("too many concurrent requests")

// ErrUnavailable means that the database can't be reached. It is tried again with the next transaction.
var ErrUnavailable = errors.New("the database is not available")

// Expected is what is known of some work before it begins: the only workspace to which it writes, if that is set, and the runs that it will
// read, or most of them, so that they can be read together.
type Expected struct {
	WorkspaceID string
	RunIDs      []string
}

// Page is a section of a list.
type Page struct{ Limit, Offset int }

// Window returns a page of a list.
func Window[T any](all []T, p Page) []T {
	left := all[min(p.Offset, len(all)):]
	return left[:min(p.Limit, len(left))]
}
