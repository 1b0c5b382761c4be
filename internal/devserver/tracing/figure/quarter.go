package figure

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// quarter contains the runs of a project that started in a quarter of an hour, and those of their traces that started earlier.
type quarter struct {
	number int64
	runs   members
	scopes map[store.RollupScope]*gathered
	rest   map[store.RollupScope]bool // Of values that have no scope.
	below  []belowCalls
}

// belowCalls are the figures of a run, and the calls of models that it is below, itself included.
type belowCalls struct {
	id    string
	own   usage.Totals
	calls []*member
}

// gathered are the figures of the runs of a scope.
type gathered struct {
	rolled
	runs    []*Run
	counted string // The last run that was added to the sum.
}

// gather computes the figures of a quarter of an hour.
func gather(tx *store.Tx, mark store.RollupMark) (*quarter, error) {
	f := store.RunFilter{
		WorkspaceID: mark.WorkspaceID, ProjectIDs: []string{mark.ProjectID}, From: new(startOf(mark.Number)), To: new(startOf(mark.Number + 1)),
	}
	earlier := f
	earlier.From = nil
	var all []store.RolledRun
	if err := tx.EachRolledRun(f, earlier, func(run store.RolledRun) error { all = append(all, run); return nil }); err != nil {
		return nil, err
	}
	q := newQuarter(mark.Number, all)
	err := q.runs.eachBelow(tx, f, true, q.addFigures)
	q.addUnpriced()
	for _, g := range q.scopes {
		g.add(figuresOf(g.runs, usage.Totals{}))
	}
	return q, err
}

func newQuarter(number int64, all []store.RolledRun) *quarter {
	q := &quarter{number: number, runs: members{}, scopes: map[store.RollupScope]*gathered{}, rest: map[store.RollupScope]bool{}}
	counts := map[store.RunProperty]map[string]int{store.NameProperty: {}, store.ModelProperty: {}}
	for _, run := range all {
		m := newMember(run.RunTiming)
		m.call, m.root, m.order, m.traceStart = llmrun.RunType(run.RunType).CallsModel(), run.Root, run.DottedOrder, run.TraceStart
		q.runs[run.ID] = m
		if m.quarter == number {
			counts[store.NameProperty][run.Name]++
			if run.Model != nil {
				counts[store.ModelProperty][*run.Model]++
			}
		}
	}
	frequent := map[store.RunProperty]map[string]bool{}
	for property, values := range counts {
		frequent[property] = mostFrequent(values)
	}
	for _, run := range all {
		q.place(q.runs[run.ID], run, frequent)
	}
	return q
}

// place sets the scopes of a run.
func (q *quarter) place(m *member, run store.RolledRun, frequent map[store.RunProperty]map[string]bool) {
	for _, scope := range scopesOf(run) {
		if kept := frequent[scope.Property]; kept != nil && !kept[scope.Value] {
			if m.quarter == q.number {
				q.rest[restOf(scope)] = true
			}
			continue
		}
		m.scopes = append(m.scopes, scope)
		if m.quarter != q.number {
			continue
		}
		q.gathered(scope).runs = append(q.gathered(scope).runs, &m.Run)
	}
}

// scopesOf returns the scopes to which a run belongs.
func scopesOf(run store.RolledRun) []store.RollupScope {
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
	return all
}

// restOf returns the scope of the row that says that some values have none.
func restOf(scope store.RollupScope) store.RollupScope {
	return store.RollupScope{Of: scope.Of, Property: scope.Property.Rest()}
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

// addFigures adds the figures of a run to those of the runs above it.
func (q *quarter) addFigures(run store.RunFigures, own usage.Totals, above []*member) {
	q.addCalls(run, own, above)
	for _, m := range above {
		if m.quarter != q.number {
			continue
		}
		m.addOwn(run, own)
		for _, scope := range m.scopes {
			if g := q.scopes[scope]; g.counted != run.ID {
				g.counted = run.ID
				g.addSum(own, lastBefore(above, scope, q.number))
			}
		}
	}
}

// addCalls notes the calls of models that a run is below, and whether they have a cost for it.
func (q *quarter) addCalls(run store.RunFigures, own usage.Totals, above []*member) {
	var calls []*member
	for _, m := range above {
		if m.call {
			calls = append(calls, m)
			m.priced = m.priced || own.TotalCost != nil && m.contains(run)
		}
	}
	if calls != nil {
		q.below = append(q.below, belowCalls{run.ID, own, calls})
	}
}

// contains reports whether conditions on the costs of the member include those of a run. A run whose dotted order doesn't begin with that of
// another one doesn't count for it in conditions, even if its ID does.
func (m *member) contains(run store.RunFigures) bool {
	return run.ID == m.ID || m.root || m.order != nil && strings.HasPrefix(run.Place(), *m.order+".")
}

// addUnpriced adds the scopes of calls of models without a cost, when all costs are known. Those of unknown traces have none.
func (q *quarter) addUnpriced() {
	for _, m := range q.runs {
		if !m.call || m.priced || m.traceStart == nil {
			continue
		}
		scope := store.RollupScope{Property: store.UnpricedProperty, Value: valueOfSpan(store.QuarterOf(*m.traceStart))}
		m.unpriced = &scope
		if m.scopes = append(m.scopes, scope); m.quarter == q.number {
			q.gathered(scope).runs = append(q.gathered(scope).runs, &m.Run)
		}
	}
	for _, one := range q.below {
		for _, m := range one.calls {
			if m.unpriced == nil || m.quarter != q.number {
				continue
			}
			if g := q.gathered(*m.unpriced); g.counted != one.id {
				g.counted = one.id
				g.addSum(one.own, lastBefore(one.calls, *m.unpriced, q.number))
			}
		}
	}
}

// gathered returns the figures of a scope.
func (q *quarter) gathered(scope store.RollupScope) *gathered {
	if q.scopes[scope] == nil {
		q.scopes[scope] = &gathered{}
	}
	return q.scopes[scope]
}

// valueOfSpan and spanOfValue convert the number of a span in which a trace began.
func valueOfSpan(number int64) string { return strconv.FormatInt(number, 10) }

func spanOfValue(value string) (int64, error) { return strconv.ParseInt(value, 10, 64) }

// lastBefore returns the last quarter before another one in which any of some runs of a scope started; nil if there is none.
func lastBefore(runs []*member, scope store.RollupScope, quarter int64) (last *int64) {
	for _, m := range runs {
		if m.quarter < quarter && (last == nil || m.quarter > *last) && slices.Contains(m.scopes, scope) {
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

// wide returns the traces of which runs started in other quarters, too.
func (q *quarter) wide() []string {
	traces := map[string]bool{}
	for _, m := range q.runs {
		if m.quarter != q.number {
			traces[m.TraceID] = true
		}
	}
	return slices.Collect(maps.Keys(traces))
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
