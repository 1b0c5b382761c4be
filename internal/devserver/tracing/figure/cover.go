package figure

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// steps reads the figures of steps from what is rolled up.
type steps struct {
	reader  RollupReader
	filter  store.RunFilter
	by      store.RunGroup
	scope   store.RollupScope
	began   period // Of traces, if the scope is that of calls without a cost.
	window  window
	details bool

	groups map[string][]*Figures
	// unusable are the spans of which no rolled-up figures can be used, by their numbers.
	unusable map[store.Span]map[int64]bool
	reads    []store.RollupRange
	holes    []interval // The quarters whose runs are read instead.
}

// maxHoles limits how many parts of the time range are read from runs, and maxStale how many spans are not rolled up; with more, all
// runs are read.
const (
	maxHoles = 100
	maxStale = 1000
)

// interval is a range of quarters, or of longer spans; the end is exclusive.
type interval struct{ from, to int64 }

// of returns the spans that are completely within a range of quarters.
func (i interval) of(span store.Span) interval {
	length := int64(span)
	return interval{-store.FloorDivide(-i.from, length), store.FloorDivide(i.to, length)}
}

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

// plan decides what is read; false if it is better to read all runs.
func (s *steps) plan() (bool, error) {
	all := s.window.quarters()
	s.unusable = map[store.Span]map[int64]bool{store.OneQuarter: {}, store.FourHours: {}, store.OneDay: {}}
	for _, span := range store.Spans {
		first := store.FloorDivide(all.from, int64(span))
		end := store.FloorDivide(all.to, int64(span)) + 1
		stale, err := s.reader.StaleRollups(s.rolled(span, interval{first, end}), maxStale)
		if err != nil || len(stale) == maxStale {
			return false, err
		}
		for _, n := range stale {
			s.spoil(n*int64(span), span)
		}
	}
	for _, bound := range s.window.bounds {
		switch quarter := store.QuarterOf(bound); {
		case !startOf(quarter).Equal(bound):
			s.spoil(quarter, store.OneQuarter)
		default:
			s.spoilAround(quarter)
		}
	}
	holes := []interval{all}
	for _, span := range slices.Backward(store.Spans) {
		var next []interval
		for _, of := range holes {
			rest, ok, err := s.cover(of, span)
			if err != nil || !ok {
				return false, err
			}
			next = append(next, rest...)
		}
		holes = together(next)
	}
	s.holes = holes
	n := int64(0)
	for _, hole := range holes {
		n += hole.to - hole.from
	}
	return len(holes) <= maxHoles && n <= max(1, (all.to-all.from)/2), nil
}

func (s *steps) rolled(span store.Span, of interval) store.RollupRange {
	return store.RollupRange{WorkspaceID: s.filter.WorkspaceID, ProjectID: s.filter.ProjectIDs[0], Span: span, From: of.from, To: of.to}
}

// spoil makes the span that contains a quarter unusable, and the longer ones.
func (s *steps) spoil(quarter int64, span store.Span) {
	for _, longer := range store.Spans {
		if longer >= span {
			s.unusable[longer][store.FloorDivide(quarter, int64(longer))] = true
		}
	}
}

// spoilAround makes the spans unusable in which a step begins with a quarter that isn't their first one.
func (s *steps) spoilAround(quarter int64) {
	for _, span := range store.Spans {
		if quarter%int64(span) != 0 {
			s.unusable[span][store.FloorDivide(quarter, int64(span))] = true
		}
	}
}

// cover plans to read spans within a range of quarters, and returns the rest of the range; false if it is better to read all runs.
func (s *steps) cover(of interval, span store.Span) (rest []interval, ok bool, _ error) {
	within, length := of.of(span), int64(span)
	if within.from >= within.to {
		return []interval{of}, true, nil
	}
	unusable := s.unusable[span]
	if s.scope.Property != store.NoProperty {
		incomplete, err := s.incomplete(within, span)
		if err != nil || len(incomplete) >= maxStale {
			return nil, false, err
		}
		for _, n := range incomplete {
			unusable[n] = true
		}
	}
	rest = append(rest, interval{of.from, within.from * length})
	left := within.to - within.from
	for _, n := range slices.Sorted(keysWithin(unusable, within)) {
		rest, left = append(rest, interval{n * length, (n + 1) * length}), left-1
	}
	if left > 0 {
		s.reads = append(s.reads, s.rolled(span, within))
	}
	return append(rest, interval{within.to * length, of.to}), true, nil
}

// incomplete returns the spans in a range that don't say enough about the scope, up to maxStale or more.
func (s *steps) incomplete(within interval, span store.Span) ([]int64, error) {
	of, only := s.rolled(span, within), &s.scope.Value
	if s.grouped() || s.unpriced() {
		only = nil
	}
	all, err := s.reader.IncompleteRollups(of, s.scope.Of, s.scope.Property, only, maxStale)
	if !s.unpriced() {
		return all, err
	}
	for _, n := range s.began.cut(span) {
		if err != nil {
			break
		}
		var some []int64
		some, err = s.reader.RollupsWith(of, store.RollupScope{Property: s.scope.Property, Value: valueOfSpan(n)}, maxStale)
		all = append(all, some...)
	}
	return all, err
}

// keysWithin returns the numbers in a range.
func keysWithin(numbers map[int64]bool, of interval) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		for n := range numbers {
			if n >= of.from && n < of.to && !yield(n) {
				return
			}
		}
	}
}

func (s *steps) grouped() bool { return s.by != store.RunGroup{} }

func (s *steps) unpriced() bool { return s.scope.Property == store.UnpricedProperty }

// read reads what was planned.
func (s *steps) read() error {
	for _, of := range s.reads {
		add := func(row store.Rollup) error { return s.addRow(row, of.Span) }
		var err error
		if s.grouped() || s.unpriced() {
			err = s.reader.EachRollupOfValues(of, s.scope.Of, s.scope.Property, add)
		} else {
			err = s.reader.EachRollup(of, s.scope, add)
		}
		if err != nil {
			return err
		}
	}
	if err := s.readHoles(); err != nil {
		return err
	}
	return finish(s.groups)
}

// figures returns the figures of a group in a step.
func (s *steps) figures(group string, step int) *Figures {
	return stepsOf(s.groups, group, len(s.window.bounds)-1)[step]
}

// addRow adds rolled-up figures to their step, unless they can't be used.
func (s *steps) addRow(row store.Rollup, span store.Span) error {
	if s.unusable[span][row.Number] {
		return nil
	}
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
			r.Sum = r.Sum.Add(sum)
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

func (s *steps) isHole(quarter int64) bool {
	return slices.ContainsFunc(s.holes, func(hole interval) bool { return quarter >= hole.from && quarter < hole.to })
}

// readHoles adds what is read from runs: those that started in holes, and in the sums all runs that count in a hole first.
func (s *steps) readHoles() error {
	seen := map[string]bool{} // Traces that have been added to the sums.
	window := s.window.quarters()
	for _, hole := range s.holes {
		f, of := s.filter, s.filter
		f.From, f.To = new(startOf(hole.from)), new(startOf(hole.to))
		of.From, of.To = new(startOf(window.from)), new(startOf(window.to))
		all := members{}
		var err error
		if s.scope.Of == store.RootRuns {
			err = s.reader.EachTiming(f, s.by, all.keep)
		} else {
			err = s.reader.EachTimingOfTraces(f, of, s.by, all.keep)
		}
		if err != nil {
			return err
		}
		var traces []string
		err = all.eachBelow(s.reader, f, s.details, func(run store.RunFigures, own usage.Totals, above []*member) {
			for _, m := range above {
				if m.quarter >= hole.from && m.quarter < hole.to {
					m.addOwn(run, own)
				}
			}
			if !seen[run.TraceID] {
				traces = append(traces, run.TraceID)
				s.addSums(own, above)
			}
		})
		if err != nil {
			return err
		}
		for _, id := range traces {
			seen[id] = true
		}
		s.addMembers(all, hole)
	}
	return nil
}

// addMembers adds the runs that started in a hole to their steps.
func (s *steps) addMembers(all members, hole interval) {
	type cell struct {
		group string
		step  int
	}
	runs := map[cell][]*Run{}
	for _, m := range all {
		at := cell{m.Group, s.window.step(m.StartTime)}
		if m.quarter >= hole.from && m.quarter < hole.to && at.step >= 0 && at.step < len(s.window.bounds)-1 {
			runs[at] = append(runs[at], &m.Run)
		}
	}
	for at, some := range runs {
		s.figures(at.group, at.step).add(figuresOf(some, usage.Totals{}))
	}
}

// addSums adds the figures of a run to the sums of the steps in which it counts for the runs above it, in each of their groups.
func (s *steps) addSums(own usage.Totals, above []*member) {
	slices.SortFunc(above, func(a, b *member) int { return a.StartTime.Compare(b.StartTime) })
	for len(above) > 0 {
		group := above[0].Group
		var same, others []*member
		for _, m := range above {
			if m.Group == group {
				same = append(same, m)
			} else {
				others = append(others, m)
			}
		}
		s.addSum(group, own, same)
		above = others
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
			sum := &s.figures(group, step).Sum
			*sum = sum.Add(own)
		}
	}
}
