package figure

import (
	"context"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Roller rolls up figures in the background: it computes those that are marked on a snapshot, and stores them in a short transaction
// unless they were marked again meanwhile.
type Roller struct{ db Database }

// Database is what a Roller needs from store.Store.
type Database interface {
	ReadTraced(ctx context.Context, work func(*store.Tx) error) error
	Tend(ctx context.Context, work func(*store.Tx) error) error
	Commits() int64
}

// NewRoller returns a roller on a database.
func NewRoller(db Database) *Roller { return &Roller{db} }

const (
	// slice is how long a roller computes before it stores. A quarter of an hour with many runs takes longer. A transaction stores
	// sliceRows, or a few more.
	slice     = 50 * time.Millisecond
	sliceRows = 100
	// rest is how long it waits if there is nothing to do. It waits as long as it has worked, or busyRest times as long while others
	// write.
	rest     = time.Second
	busyRest = 19
	// maxMarks is how many marks it reads at a time.
	maxMarks = 64
)

// Run rolls up until ctx ends; failed is called with errors, after which it tries again.
func (r *Roller) Run(ctx context.Context, failed func(error)) {
	var done int64 = -1 // The number of transactions after which nothing was left to do.
	for {
		before, began, more := r.db.Commits(), time.Now(), false
		if before != done {
			var err error
			if more, err = r.Slice(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
			if !more && err == nil {
				done = before
			}
		}
		wait := rest
		if more {
			wait = time.Since(began)
			if r.db.Commits() != before {
				wait *= busyRest
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// Slice rolls up some of what is marked, and says whether there is more to do.
func (r *Roller) Slice(ctx context.Context) (more bool, _ error) {
	type result struct {
		mark store.RollupMark
		rows []store.Rollup
	}
	var done []result
	var traces []store.RollupTraceMark
	quarters := map[store.RollupTraceMark][]store.RollupMark{}
	end := time.Now().Add(slice)
	err := r.db.ReadTraced(ctx, func(tx *store.Tx) (err error) {
		if traces, err = tx.RollupTraceMarks(maxMarks); err != nil {
			return err
		}
		for _, mark := range traces {
			if quarters[mark], err = tx.QuartersOfTrace(mark); err != nil {
				return err
			}
		}
		marks, err := tx.RollupMarks(maxMarks)
		if err != nil {
			return err
		}
		stored := 0
		for _, mark := range marks {
			rows, err := compute(tx, mark)
			if err != nil {
				return err
			}
			done, stored = append(done, result{mark, rows}), stored+len(rows)
			if stored >= sliceRows || time.Now().After(end) {
				break
			}
		}
		return nil
	})
	if err != nil || len(traces)+len(done) == 0 {
		return false, err
	}
	return true, r.db.Tend(ctx, func(tx *store.Tx) error {
		for _, mark := range traces {
			if err := tx.ReplaceTraceMark(mark, quarters[mark]); err != nil {
				return err
			}
		}
		for _, one := range done {
			if err := tx.SaveRollups(one.mark, one.rows); err != nil {
				return err
			}
		}
		return nil
	})
}

// compute returns the figures for a mark.
func compute(tx *store.Tx, mark store.RollupMark) ([]store.Rollup, error) {
	all := map[store.RollupScope]*rolled{}
	if mark.Days {
		return foldDay(tx, mark, all)
	}
	f := store.RunFilter{
		WorkspaceID: mark.WorkspaceID, ProjectIDs: []string{mark.ProjectID}, From: new(startOf(mark.Number)), To: new(startOf(mark.Number + 1)),
	}
	roots, earlier := f, f
	roots.Root, earlier.From = new(true), nil
	runs := members{}
	if err := tx.EachTiming(roots, byType, runs.keep(true)); err != nil {
		return nil, err
	}
	if err := tx.EachTimingOfTraces(f, earlier, byType, runs.keep(false)); err != nil {
		return nil, err
	}
	of := func(scope store.RollupScope) *rolled {
		if all[scope] == nil {
			all[scope] = &rolled{}
		}
		return all[scope]
	}
	err := runs.eachBelow(tx, f, true, func(run store.RunFigures, own usage.Totals, above []*member) {
		for _, m := range above {
			if m.quarter == mark.Number {
				m.addOwn(run, own)
			}
		}
		for _, scope := range scopesOf(above, mark.Number) {
			of(scope).addSum(own, lastBefore(above, scope, mark.Number))
		}
	})
	if err != nil {
		return nil, err
	}
	byScope := map[store.RollupScope][]*Run{}
	for _, m := range runs {
		for _, scope := range scopesOf([]*member{m}, mark.Number) {
			byScope[scope] = append(byScope[scope], &m.Run)
		}
	}
	for scope, some := range byScope {
		of(scope).add(figuresOf(some, usage.Totals{}))
	}
	return rowsOf(all)
}

// scopesOf returns the scopes to which runs belong that started in a quarter.
func scopesOf(runs []*member, quarter int64) (all []store.RollupScope) {
	add := func(scope store.RollupScope) {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	for _, m := range runs {
		if m.quarter != quarter {
			continue
		}
		add(store.RollupScope{})
		add(store.RollupScope{RunType: m.runType})
		if m.root {
			add(store.RollupScope{Roots: true})
		}
	}
	return all
}

// lastBefore returns the last quarter before another one in which any of some runs of a scope started; nil if there is none. A run has
// one root.
func lastBefore(runs []*member, scope store.RollupScope, quarter int64) (last *int64) {
	if scope.Roots {
		return nil
	}
	for _, m := range runs {
		if m.quarter < quarter && (scope.RunType == "" || scope.RunType == m.runType) && (last == nil || m.quarter > *last) {
			last = &m.quarter
		}
	}
	return last
}

// addSum adds the figures of a run that has counted before in a quarter, or never.
func (r *rolled) addSum(own usage.Totals, last *int64) {
	if last != nil {
		r.addLater(*last, own)
		return
	}
	r.Sum = r.Sum.Add(own)
}

// foldDay returns the figures of a day, which are those of its quarters.
func foldDay(tx *store.Tx, mark store.RollupMark, all map[store.RollupScope]*rolled) ([]store.Rollup, error) {
	first := mark.Number * store.QuartersOfDay
	rows, err := tx.RollupsOfAll(store.RollupRange{ProjectID: mark.ProjectID, From: first, To: first + store.QuartersOfDay})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		next, err := newRolled(row)
		if err != nil {
			return nil, err
		}
		if all[row.RollupScope] == nil {
			all[row.RollupScope] = &rolled{}
		}
		all[row.RollupScope].fold(next, first)
	}
	return rowsOf(all)
}

func rowsOf(all map[store.RollupScope]*rolled) ([]store.Rollup, error) {
	rows := make([]store.Rollup, 0, len(all))
	for scope, r := range all {
		row, err := r.row(scope)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
