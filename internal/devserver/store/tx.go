package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Tx is a running transaction. It is valid only within the function that received it.
type Tx struct {
	ctx     context.Context
	db      *Store
	backend backend
	tx      *sql.Tx
	// prepared are statements that have run in this transaction, kept those of all transactions.
	prepared map[string]readyStatement
	kept     *statements
	snapshot snapshot
	// traces is nil in a transaction that writes. Began is when the transaction began, in their time.
	traces   *traceCache
	began    int64
	readOnly bool
	scope    scope
	wrote    bool // It has run a statement that changes rows, and priced one that changes prices.
	priced   bool
	index    *searchIndex
	// unindexed is how many runs the transaction has added or changed, and unindexedBytes the size of their bodies.
	unindexed, unindexedBytes int64
	marks                     runMarks
	pending                   *pendingRuns // Nil unless the database stores many runs at once.
	// lags reports whether the transaction has changed tables that Lagging shows, and endsLag that what is stored is to be shown at once.
	lags, endsLag bool
	deletes       bool  // Runs or datasets, which gives space back.
	deleted       int64 // Rows of runs, and what counts as some.
	marked        bool  // Something was marked for Sweep.
	// moved is how many runs the transaction has moved to other traces.
	moved    int64
	occupied []occupation     // What has been noted about the space that rows take, and isn't stored yet.
	projects map[string]int64 // Their numbers, by ID.
	// subtrees are the figures of runs including those below that have been computed, by the numbers of the runs; subtreeFigures is how many.
	subtrees       map[subtreeKey]map[int64]float64
	subtreeFigures int
}

// Snapshot is the number of transactions that had changed something before this one started; this transaction sees all
// of them, and possibly more.
func (t *Tx) Snapshot() int64 { return t.snapshot.number }

// Priced is the number of the last transaction that has changed model prices: one of these, or this one.
func (t *Tx) Priced() int64 {
	if t.priced {
		return t.snapshot.number + 1
	}
	return t.snapshot.priced
}

// Now is the time of a shared database when this transaction, which writes, began. A later transaction has a later time, in whichever
// process, unless both have logged runs of different workspaces.
func (t *Tx) Now() time.Time { return time.UnixMicro(t.snapshot.now).UTC() }

// errReadOnly means that a read-only request has tried to change something.
var errReadOnly = errors.New("this transaction is read-only")

// use prepares a statement at most once and runs it.
func (t *Tx) use(statement string, run func(readyStatement) error) error {
	ready, known := t.prepared[statement]
	if !known {
		var err error
		if ready, err = t.backend.statement(t, statement); err != nil {
			return t.db.withCause(err)
		}
		t.prepared[statement] = ready
	}
	return t.db.withCause(run(ready))
}

// exec runs a statement that changes rows.
func (t *Tx) exec(statement string, args ...any) error {
	_, err := t.change(statement, args)
	return err
}

// execOne runs a statement that must change exactly one row.
func (t *Tx) execOne(statement string, args ...any) error {
	result, err := t.change(statement, args)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n != 1 {
		return ErrNotFound
	}
	return err
}

func (t *Tx) change(statement string, args []any) (result sql.Result, err error) {
	if t.readOnly {
		return nil, errReadOnly
	}
	taken, end, err := t.backend.arguments(t, statement, args)
	if err != nil {
		return nil, err
	}
	defer end()
	err = t.use(statement, func(ready readyStatement) error {
		result, err = ready.ExecContext(t.ctx, taken...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		t.wrote = true
		t.lags = t.lags || changesLagging.MatchString(statement)
	}
	return result, nil
}

// insert runs a statement that adds one row to a table with the column seq, and returns its number.
func (t *Tx) insert(statement string, args ...any) (seq int64, err error) {
	if t.readOnly {
		return 0, errReadOnly
	}
	t.wrote = true
	return queryOne(t, scanNumber, statement+" RETURNING seq", args...)
}

// scanner is what sql.Row and sql.Rows have in common.
type scanner interface{ Scan(dest ...any) error }

// each calls visit with every row of a query, until visit fails.
func each[T any](t *Tx, scan func(scanner) (T, error), visit func(T) error, statement string, args ...any) error {
	args, end, err := t.backend.arguments(t, statement, args)
	if err != nil {
		return err
	}
	defer end()
	return t.use(statement, func(ready readyStatement) (err error) {
		rows, err := ready.QueryContext(t.ctx, args...)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		stored := t.backend.row(rows)
		for rows.Next() {
			row, err := scan(stored)
			if err == nil {
				err = visit(row)
			}
			if err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// query collects the rows of a query; the result is never nil.
func query[T any](t *Tx, scan func(scanner) (T, error), statement string, args ...any) ([]T, error) {
	found := []T{}
	err := each(t, scan, func(row T) error { found = append(found, row); return nil }, statement, args...)
	return found, err
}

// queryOne is query for exactly one row.
func queryOne[T any](t *Tx, scan func(scanner) (T, error), statement string, args ...any) (row T, err error) {
	args, end, err := t.backend.arguments(t, statement, args)
	if err != nil {
		return row, err
	}
	defer end()
	err = t.use(statement, func(ready readyStatement) error {
		row, err = scan(t.backend.row(ready.QueryRowContext(t.ctx, args...)))
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return row, err
}

// micros converts a time to its stored form.
func micros(t time.Time) int64 { return t.UnixMicro() }

func nullableMicros(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	n := micros(*t)
	return &n
}

// timeColumn scans a column of microseconds into a time.
type timeColumn struct{ to *time.Time }

func (c timeColumn) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T, want microseconds", value)
	}
	*c.to = time.UnixMicro(n).UTC()
	return nil
}

// nullableTimeColumn scans a nullable column of microseconds.
type nullableTimeColumn struct{ to **time.Time }

func (c nullableTimeColumn) Scan(value any) error {
	if value == nil {
		*c.to = nil
		return nil
	}
	*c.to = new(time.Time)
	return timeColumn{*c.to}.Scan(value)
}

// jsonList is a list of strings as a JSON column. A nil list is null.
type jsonList []string

// Value is called by database/sql to store the list.
func (l jsonList) Value() (driver.Value, error) {
	if l == nil {
		return nil, nil
	}
	text, err := json.Marshal([]string(l))
	return string(text), err
}

// Scan is called by database/sql to read the list.
func (l *jsonList) Scan(value any) error {
	if value == nil {
		*l = nil
		return nil
	}
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("a list is stored as %T, want JSON", value)
	}
	return json.Unmarshal([]byte(text), (*[]string)(l))
}

// jsonNumbers is a list of numbers as an argument that is JSON.
type jsonNumbers []int64

// Value is called by database/sql to pass the list.
func (l jsonNumbers) Value() (driver.Value, error) {
	text, err := json.Marshal(append([]int64{}, l...)) // Not null.
	return string(text), err
}

// durationColumn scans a column of microseconds into a duration.
type durationColumn struct{ to *time.Duration }

func (c durationColumn) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("a duration is stored as %T, want microseconds", value)
	}
	*c.to = time.Duration(n) * time.Microsecond
	return nil
}

func scanNumber(row scanner) (int64, error) {
	var n int64
	err := row.Scan(&n)
	return n, err
}
