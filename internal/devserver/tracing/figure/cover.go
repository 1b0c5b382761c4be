package figure

import (
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// steps reads the figures of steps from what is rolled up, and from runs where nothing is.
type steps struct {
	reader  Reader
	filter  store.RunFilter
	by      store.RunGroup
	scope   store.RollupScope
	began   period // Of traces, if the scope is that of calls without a cost.
	window  window
	details bool

	groups map[string][]*Figures
	// unusable are the days and quarters of which no rolled-up figures can be used, by their numbers.
	unusable map[store.Span]map[int64]bool
	holes    []interval // The quarters whose runs are read instead.
}

// maxHoles limits how many parts of the time range are read from runs, and maxStale how many days or quarters are not rolled up; with more,
// all runs are read.
const (
	maxHoles = 100
	maxStale = 1000
)

// interval is a range of quarters or of days; the end is exclusive.
type interval struct{ from, to int64 }

// together returns ranges without those that are empty, and joins those that follow each other.
func together(all []interval) (joined []interval) {
	for _, one := range all {
		last := len(joined) - 1
		switch {
		case one.from >= one.to:
		case last >= 0 && joined[last].to == one.from:
			joined[last].to = one.to
		default:
			joined = append(joined, one)
		}
	}
	return joined
}

// readRollups returns false if it is better to read all runs.
func (s *steps) readRollups() (bool, error) {
	all := s.window.quarters()
	if known, err := s.findUnusable(all); err != nil || !known {
		return false, err
	}
	s.holes = []interval{all}
	for _, span := range []store.Span{store.OneDay, store.OneQuarter} {
		var rest []interval
		for _, of := range s.holes {
			some, err := s.readSpans(of, span)
			if err != nil {
				return false, err
			}
			rest = append(rest, some...)
		}
		s.holes = together(rest)
	}
	n := int64(0)
	for _, hole := range s.holes {
		n += hole.to - hole.from
	}
	return len(s.holes) <= maxHoles && n <= max(1, (all.to-all.from)/2), nil
}

// findUnusable finds the days and quarters that are not rolled up, and those in which a step begins or ends; false if there are too many.
func (s *steps) findUnusable(all interval) (bool, error) {
	s.unusable = map[store.Span]map[int64]bool{store.OneQuarter: {}, store.OneDay: {}}
	for _, bound := range s.window.bounds {
		for span, unusable := range s.unusable {
			if n := numberOf(store.QuarterOf(bound), span); !startOf(n * int64(span)).Equal(bound) {
				unusable[n] = true
			}
		}
	}
	for span, unusable := range s.unusable {
		stale, err := s.reader.StaleRollups(s.rolled(span, interval{numberOf(all.from, span), numberOf(all.to, span) + 1}), maxStale)
		if err != nil || len(stale) == maxStale {
			return false, err
		}
		for _, n := range stale {
			unusable[n] = true
			s.unusable[store.OneDay][numberOf(n*int64(span), store.OneDay)] = true
		}
	}
	return true, nil
}

// numberOf returns the number of the span that contains a quarter.
func numberOf(quarter int64, span store.Span) int64 { return store.FloorDivide(quarter, int64(span)) }

func (s *steps) rolled(span store.Span, of interval) store.RollupRange {
	return store.RollupRange{WorkspaceID: s.filter.WorkspaceID, ProjectID: s.filter.ProjectIDs[0], Span: span, From: of.from, To: of.to}
}

// readSpans adds the rolled-up figures of the days, or of the quarters, within a range of quarters, and returns the rest of the range.
func (s *steps) readSpans(of interval, span store.Span) (rest []interval, _ error) {
	length := int64(span)
	within := interval{-store.FloorDivide(-of.from, length), store.FloorDivide(of.to, length)}
	if within.from >= within.to {
		return []interval{of}, nil
	}
	rows := map[int64][]store.Rollup{}
	wanted := store.RollupsOf{RollupScope: s.scope, AnyValue: s.grouped() || s.unpriced()}
	if err := s.reader.EachRollup(s.rolled(span, within), wanted, func(row store.Rollup) error {
		rows[row.Number] = append(rows[row.Number], row)
		return nil
	}); err != nil {
		return nil, err
	}
	incomplete, err := s.incomplete(rows, s.rolled(span, within))
	if err != nil {
		return nil, err
	}
	unusable := s.unusable[span]
	rest = append(rest, interval{of.from, within.from * length})
	for n, some := range rows {
		for _, row := range some {
			if unusable[n] || incomplete[n] {
				break
			}
			if err := s.addRow(row, span); err != nil {
				return nil, err
			}
		}
	}
	for n := range incomplete {
		unusable[n] = true
	}
	for _, n := range slices.Sorted(maps.Keys(unusable)) {
		if n >= within.from && n < within.to {
			rest = append(rest, interval{n * length, (n + 1) * length})
		}
	}
	return append(rest, interval{within.to * length, of.to}), nil
}

// incomplete returns the numbers of the days or quarters whose rows don't say enough about the scope.
func (s *steps) incomplete(rows map[int64][]store.Rollup, within store.RollupRange) (map[int64]bool, error) {
	incomplete := map[int64]bool{}
	switch {
	case s.unpriced():
		for n, some := range rows {
			for _, row := range some {
				began, err := spanOfValue(row.Value)
				if err != nil {
					return nil, err
				}
				if s.began.cuts(began, within.Span) {
					incomplete[n] = true
				}
			}
		}
	case s.scope.Property != store.NoProperty:
		return incomplete, s.reader.EachRollup(within, store.RollupsOf{RollupScope: s.scope.Rest()}, func(row store.Rollup) error {
			if s.grouped() || rows[row.Number] == nil {
				incomplete[row.Number] = true
			}
			return nil
		})
	}
	return incomplete, nil
}

func (s *steps) grouped() bool { return s.by != store.RunGroup{} }

func (s *steps) unpriced() bool { return s.scope.Property == store.UnpricedProperty }

// figures returns the figures of a group in a step.
func (s *steps) figures(group string, step int) *Figures {
	return stepsOf(s.groups, group, len(s.window.bounds)-1)[step]
}

// addRow adds rolled-up figures to their step.
func (s *steps) addRow(row store.Rollup, span store.Span) error {
	if s.unpriced() {
		if began, err := spanOfValue(row.Value); err != nil || !s.began.contains(began, span) {
			return err
		}
	}
	r, err := newRolled(row)
	if err != nil {
		return err
	}
	step := s.window.step(startOf(row.Number * int64(span)))
	for last, sum := range r.later {
		if last < s.window.firstQuarter(step) {
			r.Sum.Include(sum)
		}
	}
	if !s.details {
		r.Sum = withoutDetails(r.Sum)
	}
	group := ""
	if s.grouped() {
		group = row.Value
	}
	s.figures(group, step).add(&r.Figures)
	return nil
}

// member is one of the runs whose figures are requested, or rolled up.
type member struct {
	store.RunTiming
	quarter int64
	groups  []string     // It may be in several.
	totals  usage.Totals // Of the run and all runs below it.

	// For rolling up.
	rolled *store.RolledRun
	scopes []store.RollupScope
	priced bool // The run, or one below it, has a cost.
}

func newMember(timing store.RunTiming) *member {
	return &member{RunTiming: timing, quarter: store.QuarterOf(timing.StartTime)}
}

// addOwn adds the figures of a run that the member contains. Responses contain only the sums of details.
func (m *member) addOwn(own usage.Totals) { m.totals.Include(withoutDetails(own)) }

func withoutDetails(t usage.Totals) usage.Totals {
	t.PromptTokenDetails, t.CompletionTokenDetails, t.PromptCostDetails, t.CompletionCostDetails = nil, nil, nil, nil
	return t
}

// members are runs by ID.
type members map[string]*member

// keep adds a run, or another of its groups.
func (all members) keep(timing store.RunTiming) error {
	m := all[timing.ID]
	if m == nil {
		m = newMember(timing)
		all[timing.ID] = m
	}
	m.groups = append(m.groups, timing.Group)
	return nil
}

// above returns the members that a run counts for: those above it, and itself.
func (all members) above(run store.RunFigures) (above []*member) {
	for id := range run.Lineage() {
		if m := all[id]; m != nil && m.TraceID == run.TraceID {
			above = append(above, m)
		}
	}
	return above
}

// ownBelow returns the figures of a run, and the members that it counts for.
func (all members) ownBelow(run store.RunFigures) (own usage.Totals, above []*member, err error) {
	if above = all.above(run); above != nil {
		own, _, err = ownOf(run)
	}
	return own, above, err
}

// readRuns adds what is read from runs: those that started in holes, and in the sums all runs that count in a hole first.
func (s *steps) readRuns() error {
	seen := map[string]bool{} // Traces that have been added to the sums.
	for _, hole := range s.holes {
		all, f, err := s.membersFor(hole)
		if err != nil {
			return err
		}
		var traces []string
		err = s.reader.EachFiguresOfTraces(f, s.details, func(run store.RunFigures) error {
			own, above, err := all.ownBelow(run)
			for _, m := range above {
				m.addOwn(own)
			}
			if len(above) > 0 && !seen[run.TraceID] {
				own.FirstTokenTime = nil
				traces = append(traces, run.TraceID)
				s.addSums(own, above)
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range traces {
			seen[id] = true
		}
		s.addMembers(all, hole)
	}
	return finish(s.groups)
}

// membersFor reads the matching runs that started in a hole, which the filter selects, and the others of their traces in the window.
func (s *steps) membersFor(hole interval) (all members, f store.RunFilter, err error) {
	all, f = members{}, s.filter
	window := s.window.quarters()
	if hole == window {
		return all, f, s.reader.EachTiming(f, s.by, all.keep)
	}
	of := f
	f.From, f.To = new(startOf(hole.from)), new(startOf(hole.to))
	of.From, of.To = new(startOf(window.from)), new(startOf(window.to))
	if s.scope.Of == store.RootRuns {
		return all, f, s.reader.EachTiming(f, s.by, all.keep)
	}
	return all, f, s.reader.EachTimingOfTraces(f, of, s.by, all.keep)
}

func (s *steps) isHole(quarter int64) bool {
	return slices.ContainsFunc(s.holes, func(hole interval) bool { return quarter >= hole.from && quarter < hole.to })
}

// addMembers adds the runs that started in a hole to their steps.
func (s *steps) addMembers(all members, hole interval) {
	type cell struct {
		group string
		step  int
	}
	runs := map[cell][]*member{}
	for _, m := range all {
		step := s.window.step(m.StartTime)
		if m.quarter < hole.from || m.quarter >= hole.to || step < 0 || step >= len(s.window.bounds)-1 {
			continue
		}
		for _, group := range m.groups {
			runs[cell{group, step}] = append(runs[cell{group, step}], m)
		}
	}
	for at, some := range runs {
		s.figures(at.group, at.step).add(figuresOf(some))
	}
}

// addSums adds the figures of a run to the sums of the steps in which it counts for the runs above it, in each of their groups.
func (s *steps) addSums(own usage.Totals, above []*member) {
	if len(above) == 1 {
		for _, group := range above[0].groups {
			s.addSum(group, own, above)
		}
		return
	}
	slices.SortFunc(above, func(a, b *member) int { return a.StartTime.Compare(b.StartTime) })
	var added []string
	for i, m := range above {
		for _, group := range m.groups {
			if slices.Contains(added, group) {
				continue
			}
			added = append(added, group)
			same := slices.DeleteFunc(slices.Clone(above[i:]), func(m *member) bool { return !slices.Contains(m.groups, group) })
			s.addSum(group, own, same)
		}
	}
}

// addSum adds the figures of a run to the sums of the steps in which it counts, unless it counts in the rolled-up figures: if the
// first quarter of a step in which it counts is no hole.
func (s *steps) addSum(group string, own usage.Totals, above []*member) {
	last := -1
	for _, m := range above {
		step := s.window.step(m.StartTime)
		if step == last || step < 0 || step >= len(s.window.bounds)-1 {
			continue
		}
		last = step
		first := slices.IndexFunc(above, func(m *member) bool { return m.quarter >= s.window.firstQuarter(step) })
		if s.isHole(above[first].quarter) {
			s.figures(group, step).Sum.Include(own)
		}
	}
}
