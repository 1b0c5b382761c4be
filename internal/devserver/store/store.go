package store

import (
	"context"
	"errors"
)

// ErrNotFound says that no row has the id within the workspace.
var ErrNotFound = errors.New("no such row")

// ErrFull says that there is no space left for what is written. Nothing was.
var ErrFull = errors.New("no space left on the disk")

// ErrBusy says that the turn of some work didn't come before its context ended.
var ErrBusy = errors.New("too many others ask at the same time")

// Store keeps what the services remember, in a database.
type Store interface {
	// Read runs work on a snapshot, in a transaction that changes nothing: it neither waits for those that do nor makes them wait. In
	// memory, there is one transaction at a time. When ctx ends, so does the work, with the error of ctx.
	Read(ctx context.Context, work func(Tx) error) error
	// ReadLong is Read for work that may take long: some connections are left to work that doesn't.
	ReadLong(ctx context.Context, work func(Tx) error) error
	// Do runs work in one transaction: committed when Do returns nil, rolled back otherwise. A cancelled ctx keeps work from
	// beginning and never stops it halfway.
	Do(ctx context.Context, work func(Tx) error) error
	// DoGrouped is Do for many writers at a time: what waits while a transaction is on its way to the disk goes into the next
	// one together, and shares the wait for the disk. Like Do it returns when the work is durable, and the error of one work
	// takes back that work alone.
	DoGrouped(ctx context.Context, work func(Tx) error) error
	// Commits is how many transactions have changed something so far.
	Commits() int64
	// Close closes the database; a file can be opened again.
	Close() error
}

// Tx is a running transaction; it lives as long as the function that it was given to.
type Tx interface {
	Deployments
	Revisions
	Listeners
	Integrations
	Repositories
	OAuthProviders
	OAuthTokens
	OAuthFlows
	OAuthTokenEvents
	AgentConnections
	Projects
	Runs
	Movements
	Traces
	Measures
	Attachments
	Feedbacks
	RunShares
	ModelPrices
	// Snapshot is how many transactions had changed something before this one began; it sees all of them, and may see more.
	Snapshot() int64
}

// Page is a window of a list.
type Page struct{ Limit, Offset int }
