// Package store keeps the rows of the dev server in an SQLite file, which may be temporary.
//
// It knows rows, not rules: statuses, JSON columns and names are strings to it, and state transitions are decided
// elsewhere. No other package contains SQL. All work happens in transactions. Those that write run one after the other;
// those that only read run concurrently, each on a snapshot. A committed transaction survives a kill of the process.
//
// [Tx] has every operation. What works with rows declares the few that it needs as an interface of its own.
package store
