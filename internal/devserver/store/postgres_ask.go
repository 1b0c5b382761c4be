package store

import (
	"database/sql/driver"
	"slices"
)

// askedRuns is a question about the runs that a statement reads, as an argument: the numbers of those for which the answer is yes.
// PostgreSQL can't call Go, so the runs are read before the statement, in the same snapshot.
type askedRuns struct {
	of      question
	run     runRow
	columns string // What the question is about: two.
	body    bool   // It is about the body.
	// arguments are those of the columns.
	arguments []any
}

// answer asks about all runs that can matter.
func (a *askedRuns) answer(t *Tx) ([]int64, error) {
	among := a.run.among()
	from := " FROM runs " + a.run.alias
	if a.body {
		from += " JOIN run_bodies b ON b.run = " + a.run.column("seq")
	}
	found := []int64{}
	type askedRow struct {
		run     int64
		columns []driver.Value
	}
	err := each(t, func(row scanner) (r askedRow, err error) {
		var column, patch any
		err = row.Scan(&r.run, &column, &patch)
		r.columns = []driver.Value{column, patch}
		return r, err
	}, func(r askedRow) error {
		yes, err := a.of.answer(t.ctx, r.columns)
		if yes {
			found = append(found, r.run)
		}
		return err
	}, "SELECT "+a.run.column("seq")+", "+a.columns+from+" WHERE "+among.text, slices.Concat(a.arguments, among.arguments)...)
	return found, err
}
