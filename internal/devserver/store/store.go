package store

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound says that the workspace has no row with the ID.
var ErrNotFound = errors.New("no such row")

// Missing clears err if it is ErrNotFound, and says whether it was.
func Missing(err *error) bool {
	if !errors.Is(*err, ErrNotFound) {
		return false
	}
	*err = nil
	return true
}

// ErrFull says that the disk is full. Nothing was written.
var ErrFull = errors.New("no space left on the disk")

// ErrDamaged says that a file is damaged. Nothing is written after that.
var ErrDamaged = errors.New("the file is damaged")

// ErrBusy says that the context of some work ended before its turn came.
var ErrBusy = errors.New("too many concurrent requests")

// ErrUnavailable says that the database can't be reached. It is tried again with the next transaction.
var ErrUnavailable = errors.New("the database is not available")

// Store persists the data of the services in a database.
type Store interface {
	// Read runs work on a snapshot, in a read-only transaction: it neither blocks nor is blocked by transactions that
	// write. When ctx ends, work is stopped with the error of ctx.
	Read(ctx context.Context, work func(*Tx) error) error
	// ReadTraced is Read for traced data, and for upkeep. It leaves some connections to the control plane, which never waits for them.
	ReadTraced(ctx context.Context, work func(*Tx) error) error
	// ReadLong is ReadTraced for work that may take long: it leaves some connections to other work, and to other workspaces.
	ReadLong(ctx context.Context, workspaceID string, work func(*Tx) error) error
	// Do runs work in one transaction: committed if work returns nil, rolled back otherwise. A cancelled ctx prevents work
	// from starting, but never stops it halfway.
	Do(ctx context.Context, work func(*Tx) error) error
	// DoGrouped is Do for many concurrent writers: work that arrives while a transaction is being written to disk is
	// combined into the next transaction and shares the wait for the disk. Like Do, it returns when the work is durable. An
	// error rolls back only the work that returned it. Work may be repeated, because other work has failed.
	DoGrouped(ctx context.Context, expected Expected, work func(*Tx) error) error
	// Tend is Do for work that changes nothing that others see, such as rolled-up figures. It doesn't count among Commits.
	Tend(ctx context.Context, work func(*Tx) error) error
	// Commits is the number of transactions so far that have changed something. If other processes use the database, it is what this one
	// knows: it learns of others within a second, and with each transaction of its own.
	Commits() int64
	// Priced is the number of the last transaction that has changed model prices, as far as this process knows, in a shared database; else
	// zero.
	Priced() int64
	// Shared says that other processes may use the database at the same time.
	Shared() bool
	// Unsafe names the settings of the database with which a crash of its machine may lose what was committed; empty if it has none.
	Unsafe() string
	// Now is the time: that of the database, if it is shared.
	Now() time.Time
	// Ahead is what AdvanceClock has added to the time. Now is without it.
	Ahead() time.Duration
	// Leads reports whether this process is the one that does some work in the background. Only one of those that share the data does.
	Leads(ctx context.Context, work string) (bool, error)
	// Lagging returns what shows the control plane's tables as they were a lag ago, by a clock. What is stored so far is shown at once. Call it
	// once, before the first transaction.
	Lagging(ctx context.Context, now func() time.Time, lag time.Duration) (*Lagging, error)

	// LogRequest adds a request, as JSON, to the log of servers that share their data, which keeps the newest. One that belongs to no
	// workspace is only counted.
	LogRequest(ctx context.Context, workspaceID, request string, most int64) error

	// StopIndexing leaves the search index as it is: texts of later runs are searched without it.
	StopIndexing()

	// Sweep deletes some of the rows of deleted projects, or of replaced attachments, and says whether there are more. It is one short
	// transaction, so that others run in between.
	Sweep(ctx context.Context) (more bool, err error)
	// Expire deletes the traces of each project whose roots began before a time that depends on the project; nil keeps all. Runs
	// of a trace that never got its root count alone. It runs in many short transactions.
	Expire(ctx context.Context, before func(Project) *time.Time) error
	// GiveBack returns some of the free space of a file to the file system, and says whether there is more. It is one short
	// transaction, too.
	GiveBack(ctx context.Context) (more bool, err error)
	// Occupied is the number of bytes that a workspace takes in the database, without deleted projects.
	Occupied(ctx context.Context, workspaceID string) (int64, error)
	// Marked receives a value after a transaction has left work to Sweep or GiveBack. There may also be some from before the
	// database was opened.
	Marked() <-chan struct{}
	// Full reports whether a write has found the disk full, and TryWrite has not succeeded since.
	Full() bool
	// TryWrite commits a small write that changes nothing.
	TryWrite(ctx context.Context) error
	// Usage is how the connections are used now.
	Usage() Usage
	// Measure makes each transaction that writes tell how long it has taken, without the wait for its turn.
	Measure(wrote func(took time.Duration))
	// Close closes the database; a file can be opened again.
	Close() error
}

// Expected says what is known of some work before it begins: the only workspace to which it writes, if that is set, and the runs that it will
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
