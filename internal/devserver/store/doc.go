// Package store keeps the rows of the dev server in an SQLite file, which may be temporary, or in a PostgreSQL database.
//
// It knows rows, not rules: statuses, JSON columns and names are strings to it, and state transitions are decided
// elsewhere. No other package contains SQL. All work happens in transactions. Those that write run one after the other;
// those that only read run concurrently, each on a snapshot. A committed transaction survives a kill of the process.
//
// Statements are written once, for SQLite, without what PostgreSQL can't be given by the rules in postgres_sql.go or by the functions in its
// schema. A condition that needs Go is a question: SQLite asks it for each row, and for PostgreSQL it is answered before the statement. Figures
// that include those of the runs below are computed before the statement on both engines. What else differs is a backend. A migration of SQLite
// has a counterpart for PostgreSQL, and a test compares what results from both.
//
// [Tx] has every operation.
package store
