// Package store keeps the rows of the dev server behind an interface: in an SQLite file, or in memory.
//
// It knows rows, not rules: statuses, JSON columns and names are strings to it, and state transitions are decided
// elsewhere. No other package contains SQL. All work happens in transactions. Those that write run one after the other;
// those that only read run concurrently, each on a snapshot. A committed transaction survives a kill of the process.
package store
