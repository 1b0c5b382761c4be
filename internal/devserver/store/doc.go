// Package store keeps the rows of the dev server behind an interface: in an SQLite file, or in memory.
//
// It knows rows, not rules: statuses, JSON columns and names are strings to it, and what may follow what is decided
// elsewhere. Nothing outside of it knows SQL. All work happens in transactions. Those that change something run one after the
// other, and those that read beside them, each on a snapshot; a committed transaction survives a kill of the process.
package store
