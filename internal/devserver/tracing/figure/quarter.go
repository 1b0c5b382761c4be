package figure

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// quarter contains the runs of a project that started in a quarter of an hour, and those of their traces that started earlier.
type quarter struct {
	number int64
	runs   members
	scopes map[store.RollupScope]*gathered
	rest   map[store.RollupScope]bool // Of values that have no scope.
	open   map[string]bool            // Traces that aren't complete within the quarter.
	began  map[string]time.Time       // When the roots of traces started.
}

// gathered are the figures of the runs of a scope.
type gathered struct {
	rolled
	runs    []*member
	counted string // The last run that was added to the sum.
}

// gather computes the figures of a quarter of an hour from all runs in the traces of its runs.
func gather(mark store.RollupMark, all []store.RolledRun) (*quarter, error) {
	q := &quarter{
		number: mark.Number, runs: members{}, scopes: map[store.RollupScope]*gathered{}, rest: map[store.RollupScope]bool{},
		open: map[string]bool{}, began: map[string]time.Time{},
	}
	for i := range all {
		q.addRun(&all[i], mark.ProjectID)
	}
	for _, run := range all {
		q.findOpen(run)
		q.price(run)
	}
	frequent := q.frequentValues()
	for _, m := range q.runs {
		q.place(m, frequent)
	}
	for _, run := range all {
		if err := q.addFigures(run.RunFigures); err != nil {
			return nil, err
		}
	}
	for _, g := range q.scopes {
		g.add(figuresOf(g.runs))
	}
	return q, nil
}

// addRun adds a run that is in the project, unless it started later.
func (q *quarter) addRun(run *store.RolledRun, projectID string) {
	if run.Root && run.ID == run.TraceID {
		q.began[run.TraceID] = run.StartTime
	}
	m := newMember(store.RunTiming{ID: run.ID, TraceID: run.TraceID, StartTime: run.StartTime, EndTime: run.EndTime, Failed: run.Failed})
	if run.ProjectID != projectID || m.quarter > q.number {
		q.open[run.TraceID] = true
		return
	}
	m.rolled = run
	q.runs[run.ID] = m
}

// findOpen notes the trace of a run unless the run, its root and all runs between them started in the quarter.
func (q *quarter) findOpen(run store.RolledRun) {
	complete := run.DottedOrder != nil && q.runs[run.TraceID] != nil
	for id := range run.Lineage() {
		m := q.runs[id]
		complete = complete && m != nil && m.TraceID == run.TraceID && m.quarter == q.number
	}
	if !complete {
		q.open[run.TraceID] = true
	}
}

// price notes the calls of models that a run with a cost is below.
func (q *quarter) price(run store.RolledRun) {
	if run.TotalCost == nil {
		return
	}
	for _, m := range q.runs.above(run.RunFigures) {
		m.priced = true
	}
}

// frequentValues returns the names and models that have rows.
func (q *quarter) frequentValues() map[store.RunProperty]map[string]bool {
	names, models := map[string]int{}, map[string]int{}
	for _, m := range q.runs {
		if m.quarter == q.number {
			names[m.rolled.Name]++
			if m.rolled.Model != nil {
				models[*m.rolled.Model]++
			}
		}
	}
	return map[store.RunProperty]map[string]bool{store.NameProperty: mostFrequent(names), store.ModelProperty: mostFrequent(models)}
}

// longestValue is the length in bytes of the longest name or model with rows of its own.
const longestValue = 256

// mostFrequent returns the values that have rows, and not only the runs: those of which there are most.
func mostFrequent(counts map[string]int) map[string]bool {
	values := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	kept := map[string]bool{}
	for _, value := range values {
		if len(kept) < limits.RolledValues && len(value) <= longestValue {
			kept[value] = true
		}
	}
	return kept
}

// place sets the scopes of a run.
func (q *quarter) place(m *member, frequent map[store.RunProperty]map[string]bool) {
	for _, scope := range q.scopesOf(m) {
		if kept := frequent[scope.Property]; kept != nil && !kept[scope.Value] {
			if m.quarter == q.number {
				q.rest[scope.Rest()] = true
			}
			continue
		}
		m.scopes = append(m.scopes, scope)
		if m.quarter != q.number {
			continue
		}
		if q.scopes[scope] == nil {
			q.scopes[scope] = &gathered{}
		}
		q.scopes[scope].runs = append(q.scopes[scope].runs, m)
	}
}

// scopesOf returns the scopes to which a run belongs.
func (q *quarter) scopesOf(m *member) []store.RollupScope {
	run := m.rolled
	sets := []store.RunSet{store.AllRuns, store.RootRuns}
	if !run.Root {
		sets = sets[:1]
	}
	all := make([]store.RollupScope, 0, 10)
	for _, set := range sets {
		all = append(all, store.RollupScope{Of: set}, store.RollupScope{Of: set, Property: store.TypeProperty, Value: run.RunType},
			store.RollupScope{Of: set, Property: store.StatusProperty, Value: run.Status},
			store.RollupScope{Of: set, Property: store.NameProperty, Value: run.Name})
		if run.Model != nil {
			all = append(all, store.RollupScope{Of: set, Property: store.ModelProperty, Value: *run.Model})
		}
	}
	if run.RunType == string(llmrun.RunTypeTool) {
		all = append(all, store.RollupScope{Of: store.ToolRuns, Property: store.NameProperty, Value: run.Name})
	}
	if run.BelowRoot {
		all = append(all, store.RollupScope{Of: store.RunsBelowRoot, Property: store.NameProperty, Value: run.Name})
	}
	if began, known := q.began[run.TraceID]; known && llmrun.RunType(run.RunType).CallsModel() && !m.priced {
		all = append(all, store.RollupScope{Property: store.UnpricedProperty, Value: valueOfSpan(store.QuarterOf(began))})
	}
	return all
}

// valueOfSpan and spanOfValue convert the number of a span in which a trace began.
func valueOfSpan(number int64) string { return strconv.FormatInt(number, 10) }

func spanOfValue(value string) (int64, error) { return strconv.ParseInt(value, 10, 64) }

// addFigures adds the figures of a run to those of the runs above it.
func (q *quarter) addFigures(run store.RunFigures) error {
	own, above, err := q.runs.ownBelow(run)
	if err != nil {
		return err
	}
	for _, m := range above {
		m.addOwn(own)
	}
	own.FirstTokenTime = nil
	for _, m := range above {
		if m.quarter != q.number {
			continue
		}
		for _, scope := range m.scopes {
			if g := q.scopes[scope]; g.counted != run.ID {
				g.counted = run.ID
				g.addSum(own, lastBefore(above, scope, q.number))
			}
		}
	}
	return nil
}

// lastBefore returns the last quarter before another one in which any of some runs of a scope started; nil if there is none.
func lastBefore(runs []*member, scope store.RollupScope, quarter int64) (last *int64) {
	for _, m := range runs {
		if m.quarter < quarter && (last == nil || m.quarter > *last) && slices.Contains(m.scopes, scope) {
			last = &m.quarter
		}
	}
	return last
}

func (q *quarter) rows() ([]store.Rollup, error) {
	all := make(map[store.RollupScope]*rolled, len(q.scopes))
	for scope, g := range q.scopes {
		all[scope] = &g.rolled
	}
	return rowsOf(all, q.rest)
}

// rowsOf returns the rows of a span.
func rowsOf(all map[store.RollupScope]*rolled, rest map[store.RollupScope]bool) ([]store.Rollup, error) {
	rows := make([]store.Rollup, 0, len(all)+len(rest))
	for scope, r := range all {
		row, err := r.row(scope)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	for scope := range rest {
		rows = append(rows, store.Rollup{RollupScope: scope, Figures: None})
	}
	return rows, nil
}

// folded are the figures of a scope in the quarters of a day.
type folded struct {
	rolled
	known int // Quarters in which other values have no row.
}

// fold returns the figures of a day, which are those of its quarters. A value that has no row in one of them, although it may have runs there,
// has none for the day either.
func fold(tx *store.Tx, mark store.RollupMark) ([]store.Rollup, error) {
	from := mark.Number * int64(store.OneDay)
	within := store.RollupRange{
		WorkspaceID: mark.WorkspaceID, ProjectID: mark.ProjectID, Span: store.OneQuarter, From: from, To: from + int64(store.OneDay),
	}
	type place struct {
		scope  store.RollupScope
		number int64
	}
	var rows []store.Rollup
	incomplete, quarters := map[place]bool{}, map[store.RollupScope]int{}
	if err := tx.EachRollup(within, store.RollupsOf{Any: true}, func(row store.Rollup) error {
		if row.IsRest() {
			incomplete[place{row.RollupScope, row.Number}] = true
			quarters[row.RollupScope]++
		} else {
			rows = append(rows, row)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	all := map[store.RollupScope]*folded{}
	for _, row := range rows {
		next, err := newRolled(row)
		if err != nil {
			return nil, err
		}
		scope := row.RollupScope
		if scope.Property == store.UnpricedProperty {
			began, err := spanOfValue(scope.Value)
			if err != nil {
				return nil, err
			}
			scope.Value = valueOfSpan(store.FloorDivide(began, int64(store.OneDay)))
		}
		f := all[scope]
		if f == nil {
			f = &folded{}
			all[scope] = f
		}
		if f.fold(next, from); incomplete[place{scope.Rest(), row.Number}] {
			f.known++
		}
	}
	return foldedRows(all, quarters)
}

// foldedRows returns the rows of the values that are known in all quarters, and of these the most frequent.
func foldedRows(all map[store.RollupScope]*folded, quarters map[store.RollupScope]int) ([]store.Rollup, error) {
	rest, counts := map[store.RollupScope]bool{}, map[store.RollupScope]map[string]int{}
	for scope := range quarters {
		rest[scope] = true
	}
	for scope, f := range all {
		of := scope.Rest()
		if f.known < quarters[of] || scope.Property == store.NoProperty {
			continue
		}
		if counts[of] == nil {
			counts[of] = map[string]int{}
		}
		counts[of][scope.Value] = f.Runs
	}
	kept := map[store.RollupScope]*rolled{}
	frequent := map[store.RollupScope]map[string]bool{}
	for of, values := range counts {
		if frequent[of] = mostFrequent(values); len(frequent[of]) < len(values) {
			rest[of] = true
		}
	}
	for scope, f := range all {
		if scope.Property == store.NoProperty || frequent[scope.Rest()][scope.Value] {
			kept[scope] = &f.rolled
		}
	}
	return rowsOf(kept, rest)
}
