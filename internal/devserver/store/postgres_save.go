package store

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxPending and maxPendingBytes limit how many runs are stored together.
const maxPending, maxPendingBytes = 1000, 8 << 20

// save keeps a run until saveAll, as it would be read afterwards.
func (p *postgres) save(t *Tx, r *savedRun) error {
	r.StartTime, r.ReceivedAt = asStored(r.StartTime), asStored(r.ReceivedAt)
	for _, at := range []**time.Time{&r.EndTime, &r.FirstTokenTime} {
		if *at != nil {
			*at = new(asStored(**at))
		}
	}
	t.pending.add(r)
	if len(t.pending.order) < maxPending && t.pending.bytes < maxPendingBytes {
		return nil
	}
	return p.saveAll(t)
}

func asStored(t time.Time) time.Time { return time.UnixMicro(micros(t)).UTC() }

// saveAll stores the runs that were kept, with one statement for each table.
func (p *postgres) saveAll(t *Tx) error {
	u := t.pending
	if u == nil || len(u.order) == 0 {
		return nil
	}
	return u.beside(func() error {
		all := u.take()
		for _, r := range all {
			t.unindexedBytes += int64(len(r.Body.Post) + len(r.Body.Patch))
			t.occupy(r.WorkspaceID, r.project, r.space)
		}
		isNew := func(r *savedRun) bool { return r.Seq == 0 }
		changed := slices.DeleteFunc(slices.Clone(all), isNew)
		added := slices.DeleteFunc(slices.Clone(all), func(r *savedRun) bool { return !isNew(r) })
		if err := t.changeRuns(changed); err != nil {
			return err
		}
		if err := t.addRuns(added); err != nil {
			return err
		}
		if err := t.saveBodies(all); err != nil {
			return err
		}
		u.know(all)
		p.growth.added.Add(int64(len(added)))
		return t.saveLabels(all)
	})
}

// listsOf are columns of some runs, which a statement has as lists.
func listsOf(runs []*savedRun, columns []string) (c columnLists) {
	rows := make([][]any, len(runs))
	for i, r := range runs {
		rows[i] = r.values(columns)
	}
	for i, name := range columns {
		switch rows[0][i].(type) {
		case string, *string:
			texts := listOf[string](rows, i)
			for n, text := range texts {
				if text != nil {
					texts[n] = new(storable(*text))
				}
			}
			c.add(name, "TEXT", texts)
		case int64, *int64:
			c.add(name, "BIGINT", listOf[int64](rows, i))
		case bool:
			c.add(name, "BOOLEAN", listOf[bool](rows, i))
		default:
			panic("no list of PostgreSQL for the column " + name)
		}
	}
	return c
}

// listOf returns a column of rows, whose values may be null.
func listOf[T any](rows [][]any, column int) []*T {
	list := make([]*T, len(rows))
	for i, row := range rows {
		switch value := row[column].(type) {
		case *T:
			list[i] = value
		case T:
			list[i] = &value
		}
	}
	return list
}

// columnLists are rows as lists, one for each column, which are arguments of a statement.
type columnLists struct {
	names, types []string
	lists        []any
}

func (c *columnLists) add(name, kind string, list any) {
	c.names, c.types, c.lists = append(c.names, name), append(c.types, "CAST(? AS "+kind+"[])"), append(c.lists, list)
}

// rows are the rows, as part of a statement.
func (c *columnLists) rows() string {
	return "unnest(" + strings.Join(c.types, ", ") + ") n (" + strings.Join(c.names, ", ") + ")"
}

// changeRuns replaces runs.
func (t *Tx) changeRuns(runs []*savedRun) error {
	if len(runs) == 0 {
		return nil
	}
	seqs := numbersOf(runs)
	if err := t.vacate(seqs); err != nil {
		return err
	}
	c := listsOf(runs, changedColumns)
	sets := make([]string, len(c.names))
	for i, name := range c.names {
		sets[i] = name + " = n." + name
	}
	c.add("seq", "BIGINT", []int64(seqs))
	result, err := t.change("UPDATE runs r SET "+strings.Join(sets, ", ")+" FROM "+c.rows()+" WHERE r.seq = n.seq", c.lists)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n != int64(len(runs)) {
		return fmt.Errorf("%w: %d of %d runs can be changed", ErrNotFound, n, len(runs))
	}
	if err := t.noteChanges(seqs); err != nil {
		return err
	}
	return t.exec("DELETE FROM run_labels WHERE run = ANY(CAST(? AS BIGINT[]))", []int64(seqs))
}

func numbersOf(runs []*savedRun) jsonNumbers {
	seqs := make(jsonNumbers, len(runs))
	for i, r := range runs {
		seqs[i] = r.Seq
	}
	return seqs
}

// addRuns adds runs in their order, and sets their numbers. Where there is one with the same ID in a project that is being deleted, it
// deletes that.
func (t *Tx) addRuns(runs []*savedRun) error {
	t.unindexed += int64(len(runs))
	taken, err := t.insertRuns(runs)
	for _, r := range taken {
		if err == nil {
			err = t.makeRoom(r.WorkspaceID, r.ID)
		}
	}
	if err == nil {
		taken, err = t.insertRuns(taken)
	}
	if err == nil && len(taken) > 0 {
		err = errTaken
	}
	return err
}

// insertRuns returns the runs that it can't add because their IDs are taken.
func (t *Tx) insertRuns(runs []*savedRun) (taken []*savedRun, err error) {
	if len(runs) == 0 {
		return nil, nil
	}
	byKey := make(map[runKey]*savedRun, len(runs))
	for _, r := range runs {
		byKey[runKey{r.WorkspaceID, r.ID}] = r
	}
	c := listsOf(runs, addedColumns)
	columns := strings.Join(c.names, ", ")
	t.wrote = true
	type numbered struct {
		runKey
		seq int64
	}
	err = each(t, func(row scanner) (n numbered, err error) {
		err = row.Scan(&n.workspaceID, &n.id, &n.seq)
		return n, err
	}, func(n numbered) error {
		byKey[n.runKey].Seq = n.seq
		return nil
	}, "INSERT INTO runs ("+columns+") SELECT "+columns+" FROM "+c.rows()+
		" ON CONFLICT DO NOTHING RETURNING workspace_id, id, seq", c.lists...)
	return slices.DeleteFunc(slices.Clone(runs), func(r *savedRun) bool { return r.Seq != 0 }), err
}

func (t *Tx) saveBodies(runs []*savedRun) error {
	posts, patches := make([][]byte, len(runs)), make([][]byte, len(runs))
	for i, r := range runs {
		posts[i], patches[i] = r.Body.Post, r.Body.Patch
	}
	return t.exec("INSERT INTO run_bodies (run, post, patch) "+
		"SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BYTEA[]), CAST(? AS BYTEA[])) "+
		"ON CONFLICT (run) DO UPDATE SET post = excluded.post, patch = excluded.patch", []int64(numbersOf(runs)), posts, patches)
}

func (t *Tx) saveLabels(runs []*savedRun) error {
	var seqs, kinds []int64
	var keys, values []string
	for _, r := range runs {
		for _, label := range r.labels {
			seqs, kinds = append(seqs, r.Seq), append(kinds, int64(label.Kind))
			keys, values = append(keys, storable(label.Key)), append(values, storable(labelValue(label.Value)))
		}
	}
	if seqs == nil {
		return nil
	}
	return t.exec("INSERT INTO run_labels (run, kind, key, value) "+
		"SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[])) "+
		"ON CONFLICT DO NOTHING", seqs, kinds, keys, values)
}
