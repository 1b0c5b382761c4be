package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"
)

// subquery is an argument of a statement: the numbers of some runs, which are found before the statement, in the same snapshot.
type subquery interface {
	find(t *Tx) (jsonNumbers, error)
}

// found replaces the subqueries among the arguments of a statement.
func (t *Tx) found(args []any) ([]any, error) {
	all := slices.Clone(args)
	for i, arg := range args {
		if s, is := arg.(subquery); is {
			runs, err := s.find(t)
			if err != nil {
				return nil, err
			}
			all[i] = runs
		}
	}
	return all, nil
}

// in is the condition that the row is one of the runs of a subquery.
func (r runRow) in(s subquery) condition {
	return where(r.column("seq")+" IN "+numbers("?"), s)
}

// question is a condition on a body or on another long text. It is answered in Go, because the functions of databases can run for minutes on
// one value without checking whether they are interrupted, and because PostgreSQL can't call Go.
type question interface {
	// answer reports whether the condition holds for the columns. It takes linear time and checks ctx at least every millisecond or
	// so; only unpacking a body, of at most maxPacked bytes, can't be interrupted. The columns are valid only during the call.
	answer(ctx context.Context, columns []driver.Value) (bool, error)
}

// askedRuns are the runs for which the answer to a question is yes, of those that can matter to a statement.
type askedRuns struct {
	question
	run     runRow
	columns string // What the question is about.
	body    bool   // It is about the body.
	// arguments are those of the columns.
	arguments []any
}

// askBody is the answer to a question about the body of the row.
func (r runRow) askBody(q question) condition {
	return r.in(&askedRuns{question: q, run: r, columns: "b.post, b.patch", body: true})
}

// askColumn is the answer to a question about an expression.
func (r runRow) askColumn(q question, of condition) condition {
	return r.in(&askedRuns{question: q, run: r, columns: of.text, arguments: of.arguments})
}

func (a *askedRuns) find(t *Tx) (jsonNumbers, error) {
	found := jsonNumbers{}
	type row struct {
		run     int64
		columns []driver.Value
	}
	statement, args := a.statement()
	return found, each(t, func(from scanner) (r row, err error) {
		if a.body {
			var post, patch sql.RawBytes // Valid until the next row is read.
			err = from.Scan(&r.run, &post, &patch)
			r.columns = []driver.Value{[]byte(post), []byte(patch)}
			return r, err
		}
		var column any
		err = from.Scan(&r.run, &column)
		r.columns = []driver.Value{column}
		return r, err
	}, func(r row) error {
		yes, err := a.answer(t.ctx, r.columns)
		if yes {
			found = append(found, r.run)
		}
		return err
	}, statement, args...)
}

// statement reads what the question is about.
func (a *askedRuns) statement() (string, []any) {
	among, bodies := a.run.among(), ""
	if a.body {
		bodies = thenJoin + "run_bodies b ON b.run = " + a.run.column("seq")
	}
	return "SELECT " + a.run.column("seq") + ", " + a.columns + " FROM runs " + a.run.alias + bodies + " WHERE " + among.text,
		slices.Concat(a.arguments, among.arguments)
}
