package store

import (
	"context"
	"database/sql"
)

// backend is what kinds of databases differ in.
type backend interface {
	dialect

	// statement returns a statement that is ready to run in a transaction.
	statement(t *Tx, text string) (readyStatement, error)
	// arguments returns the arguments of a statement, which is about to be executed, as the driver takes them; call end after the statement.
	arguments(t *Tx, statement string, args []any) (taken []any, end func(), err error)
	// row returns a row whose texts are those that were stored.
	row(scanner) scanner
	// save stores a run, or remembers it for saveAll.
	save(t *Tx, r *savedRun) error
	// saveAll stores the runs that save has remembered. No statement about runs is executed before that.
	saveAll(t *Tx) error
	// expect prepares a transaction for runs that it is about to read.
	expect(t *Tx, expected []Expected) error

	// begin takes the snapshot of a transaction that reads. One that writes waits for those of other processes, until ctx ends.
	begin(ctx context.Context, s *Store, t *Tx) (snapshot, error)
	// stateOf returns a text that differs from that of any other state of a trace that readers see; empty if it isn't known.
	stateOf(t *Tx, trace traceKey) (string, error)
	// interruptible interrupts whatever a connection does after ctx has ended; call the result before the connection is used for anything
	// else.
	interruptible(ctx context.Context, connection *sql.Conn) (end func(), err error)
	// withCause adds ErrFull, ErrUnavailable, ErrDamaged or errConflict to errors that mean it.
	withCause(err error) error

	// occupied is how many bytes projects take, including their share of what isn't counted, if that is known.
	occupied(t *Tx, own Space) (int64, error)
	// size returns the size of the database.
	size(t *Tx) (pages, error)
	// giveBack is Store.GiveBack.
	giveBack(ctx context.Context, s *Store) (more bool, err error)

	// noteChangesBefore makes all transactions that write from now on note which runs they change, up to a number.
	noteChangesBefore(ctx context.Context, s *Store, run int64) error

	// stop ends what it does in the background, before connections are closed.
	stop()
}

// dialect builds the conditions that kinds of databases evaluate in different ways, because they call Go.
type dialect interface {
	// askBody is the answer to a question about the body of a run.
	askBody(run runRow, q bodyQuestion) condition
	// askColumn is the answer to a question about an expression.
	askColumn(run runRow, q question, of condition) condition
}

// snapshot is what was stored before a transaction.
type snapshot struct {
	number  int64 // Of transactions that have changed something.
	priced  int64 // The last of them that has changed prices.
	indexed int64 // The runs with lower numbers may be in the search index.
	now     int64 // The time of the database, in microseconds; zero if it has no clock.
	ahead   int64 // What the clock had been advanced by, in microseconds.
}

// readyStatement is a statement that is ready to run.
type readyStatement interface {
	ExecContext(ctx context.Context, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, args ...any) *sql.Row
}
