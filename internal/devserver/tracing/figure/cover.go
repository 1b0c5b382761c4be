package figure

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
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
	for _, n := range slices.Sorted(keysWithin(unusable, within)) {
		rest = append(rest, interval{n * length, (n + 1) * length})
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
