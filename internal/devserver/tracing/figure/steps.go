package figure

import (
	"reflect"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// RollupReader reads what figures are computed from, and figures that are rolled up.
type RollupReader interface {
	Reader
	EachTimingOfTraces(traces, f store.RunFilter, by store.RunGroup, visit func(store.RunTiming) error) error
	EachRollup(of store.RollupRange, scope store.RollupScope, visit func(store.Rollup) error) error
	StaleRollups(workspaceID string, of store.RollupRange, limit int) ([]int64, error)
}

// The times before and after all runs: the starts of days, a hundred thousand years away.
var (
	never  = startOf(-4e7 * store.QuartersOfDay)
	always = startOf(4e7 * store.QuartersOfDay)
)

// InSteps returns the figures of the matching runs in steps. The starts of the steps are ascending, from that of the filter on; the last
// step ends with the filter. Details of tokens and costs are read only if they are requested.
//
// If the filter selects the runs of a project, its runs of a type, or the root runs of projects, and nothing else, then InSteps reads
// rolled-up figures: those of days within a step, those of quarters of an hour at its ends, and runs where a step begins or ends between
// quarters, and where figures have changed and are not yet rolled up again.
func InSteps(r RollupReader, f store.RunFilter, starts []time.Time, details bool) ([]*Figures, error) {
	w := window{bounds: slices.Concat(starts, []time.Time{always})}
	if f.From == nil {
		w.bounds[0] = never
	}
	if f.To != nil {
		w.bounds[len(starts)] = *f.To
	}
	for i := range w.bounds { // Run times are as precise.
		w.bounds[i] = w.bounds[i].Truncate(time.Microsecond)
	}
	scope, rolledUp := scopeOf(f)
	if rolledUp && len(f.ProjectIDs) > 1 {
		return inProjects(r, f, starts, details)
	}
	if rolledUp {
		s := steps{reader: r, filter: f, scope: scope, window: w, details: details}
		if planned, err := s.plan(); err != nil || planned {
			if err == nil {
				err = s.read()
			}
			return s.figures, err
		}
	}
	groups, err := Measure(r, f, store.RunGroup{}, details, func(run store.RunTiming) int { return w.step(run.StartTime) })
	all := make([]*Figures, len(starts))
	for i := range all {
		all[i] = &Figures{}
		if group := groups[i]; group != nil && err == nil {
			all[i] = group.Figures
		}
	}
	return all, err
}

// inProjects is InSteps for root runs of several projects. A run has one root, so it counts in one project.
func inProjects(r RollupReader, f store.RunFilter, starts []time.Time, details bool) ([]*Figures, error) {
	all := make([]*Figures, len(starts))
	for i := range all {
		all[i] = &Figures{}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(f.ProjectIDs))) {
		f.ProjectIDs = []string{id}
		steps, err := InSteps(r, f, starts, details)
		if err != nil {
			return nil, err
		}
		for i, step := range steps {
			all[i].add(step)
		}
	}
	for _, step := range all {
		if err := step.finish(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// InOne is InSteps for a single step.
func InOne(r RollupReader, f store.RunFilter, details bool) (*Figures, error) {
	start := never
	if f.From != nil {
		start = *f.From
	}
	all, err := InSteps(r, f, []time.Time{start}, details)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// scopeOf returns the scope of rolled-up figures that a filter selects; false if there is none.
func scopeOf(f store.RunFilter) (store.RollupScope, bool) {
	scope := store.RollupScope{Roots: f.Root != nil && *f.Root, RunType: f.RunType}
	if f.Root != nil && !*f.Root || scope.Roots && scope.RunType != "" || len(f.ProjectIDs) == 0 || len(f.ProjectIDs) > 1 && !scope.Roots {
		return scope, false
	}
	f.WorkspaceID, f.ProjectIDs, f.Root, f.RunType, f.From, f.To, f.Subtrees = "", nil, nil, "", nil, nil, false
	return scope, reflect.ValueOf(f).IsZero()
}

// window contains the start times of steps, and the end of the last one.
type window struct{ bounds []time.Time }

// step returns the number of the step that contains a time; out of range if none does.
func (w window) step(at time.Time) int {
	next, exactly := slices.BinarySearchFunc(w.bounds, at, time.Time.Compare)
	if exactly {
		return next
	}
	return next - 1
}

// firstQuarter returns the quarter in which a step begins.
func (w window) firstQuarter(step int) int64 { return store.QuarterOf(w.bounds[step]) }

// endQuarter returns the quarter after the last one of the window.
func (w window) endQuarter() int64 {
	return store.QuarterOf(w.bounds[len(w.bounds)-1].Add(-time.Microsecond)) + 1
}

func startOf(quarter int64) time.Time {
	return time.UnixMicro(quarter * store.Quarter.Microseconds()).UTC()
}

// steps reads the figures of steps from what is rolled up.
type steps struct {
	reader  RollupReader
	filter  store.RunFilter
	scope   store.RollupScope
	window  window
	details bool

	figures []*Figures
	// holes are the quarters whose runs are read, ascending; days are those of which no figures can be used.
	holes []int64
	days  map[int64]bool
}

// maxHoles limits how many parts of the time range are read from runs, and maxStale how many quarters are not rolled up; with more, all
// runs are read.
const (
	maxHoles = 100
	maxStale = 1000
)

// plan decides what is read; false if it is better to read all runs.
func (s *steps) plan() (bool, error) {
	from, to := s.window.firstQuarter(0), s.window.endQuarter()
	stale, err := s.reader.StaleRollups(s.filter.WorkspaceID, s.quarters(from, to), maxStale)
	if err != nil || len(stale) == maxStale {
		return false, err
	}
	day, endDay := dayOf(from), dayOf(to)+1
	staleDays, err := s.reader.StaleRollups(s.filter.WorkspaceID, s.daysOf(day, endDay), maxStale)
	if err != nil || len(staleDays) == maxStale {
		return false, err
	}
	s.days = map[int64]bool{}
	for _, bound := range s.window.bounds {
		quarter := store.QuarterOf(bound)
		if !startOf(quarter).Equal(bound) {
			stale = append(stale, quarter)
		}
		if quarter%store.QuartersOfDay != 0 {
			s.days[dayOf(quarter)] = true
		}
	}
	slices.Sort(stale)
	s.holes = slices.Compact(stale)
	for _, day := range staleDays {
		s.days[day] = true
	}
	for _, quarter := range s.holes {
		s.days[dayOf(quarter)] = true
	}
	return len(s.intervals()) <= maxHoles && int64(len(s.holes)) <= max(1, (to-from)/2), nil
}

func dayOf(quarter int64) int64 { return store.FloorDivide(quarter, store.QuartersOfDay) }

func (s *steps) quarters(from, to int64) store.RollupRange {
	return store.RollupRange{ProjectID: s.filter.ProjectIDs[0], From: from, To: to}
}

func (s *steps) daysOf(from, to int64) store.RollupRange {
	return store.RollupRange{ProjectID: s.filter.ProjectIDs[0], Days: true, From: from, To: to}
}

// interval is a range of quarters; the end is exclusive.
type interval struct{ from, to int64 }

// together returns ascending numbers as ranges.
func together(numbers []int64) (all []interval) {
	for _, n := range numbers {
		if last := len(all) - 1; last >= 0 && all[last].to == n {
			all[last].to++
			continue
		}
		all = append(all, interval{n, n + 1})
	}
	return all
}

func (s *steps) intervals() []interval { return together(s.holes) }

// read reads what was planned.
func (s *steps) read() error {
	s.figures = make([]*Figures, len(s.window.bounds)-1)
	for i := range s.figures {
		s.figures[i] = &Figures{}
	}
	from, to := s.window.firstQuarter(0), s.window.endQuarter()
	// Days that are not completely within the range can't be used.
	day, endDay := dayOf(from+store.QuartersOfDay-1), dayOf(to)
	if day < endDay {
		if err := s.reader.EachRollup(s.daysOf(day, endDay), s.scope, s.addRow); err != nil {
			return err
		}
	}
	for _, of := range s.rest(from, to, day, endDay) {
		if err := s.reader.EachRollup(s.quarters(of.from, of.to), s.scope, s.addRow); err != nil {
			return err
		}
	}
	if err := s.readHoles(from, to); err != nil {
		return err
	}
	for _, step := range s.figures {
		if err := step.finish(); err != nil {
			return err
		}
	}
	return nil
}

// rest returns the quarters in the range that no day contains whose figures can be used.
func (s *steps) rest(from, to, day, endDay int64) (all []interval) {
	if day >= endDay {
		return []interval{{from, to}}
	}
	add := func(of interval) {
		if last := len(all) - 1; last >= 0 && all[last].to == of.from {
			all[last].to = of.to
		} else if of.from < of.to {
			all = append(all, of)
		}
	}
	add(interval{from, day * store.QuartersOfDay})
	var unusable []int64
	for one := range s.days {
		if one >= day && one < endDay {
			unusable = append(unusable, one)
		}
	}
	slices.Sort(unusable)
	for _, of := range together(unusable) {
		add(interval{of.from * store.QuartersOfDay, of.to * store.QuartersOfDay})
	}
	add(interval{endDay * store.QuartersOfDay, to})
	return all
}

// addRow adds rolled-up figures to their step, unless they can't be used.
func (s *steps) addRow(row store.Rollup) error {
	quarter := row.Number
	if row.Days {
		if s.days[row.Number] {
			return nil
		}
		quarter *= store.QuartersOfDay
	} else if s.isHole(quarter) {
		return nil
	}
	r, err := newRolled(row)
	if err != nil {
		return err
	}
	step := s.window.step(startOf(quarter))
	for last, sum := range r.later {
		if last < s.window.firstQuarter(step) {
			r.Sum = r.Sum.Add(sum)
		}
	}
	if !s.details {
		r.Sum = withoutDetails(r.Sum)
	}
	s.figures[step].add(&r.Figures)
	return nil
}

func (s *steps) isHole(quarter int64) bool {
	_, is := slices.BinarySearch(s.holes, quarter)
	return is
}

// readHoles adds what is read from runs: those that started in holes, and in the sums all runs that count in a hole first.
func (s *steps) readHoles(from, to int64) error {
	seen := map[string]bool{} // Traces that have been added to the sums.
	for _, hole := range s.intervals() {
		f, of := s.filter, s.filter
		f.From, f.To = new(startOf(hole.from)), new(startOf(hole.to))
		of.From, of.To = new(startOf(from)), new(startOf(to))
		all := members{}
		var err error
		if s.scope.Roots {
			err = s.reader.EachTiming(f, byType, all.keep(true))
		} else {
			err = s.reader.EachTimingOfTraces(f, of, byType, all.keep(false))
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
				s.addSum(own, above)
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
	runs := make([][]*Run, len(s.figures))
	for _, m := range all {
		step := s.window.step(m.StartTime)
		if m.quarter >= hole.from && m.quarter < hole.to && step >= 0 && step < len(runs) {
			runs[step] = append(runs[step], &m.Run)
		}
	}
	for step, some := range runs {
		if len(some) > 0 {
			s.figures[step].add(figuresOf(some, usage.Totals{}))
		}
	}
}

// addSum adds the figures of a run to the sums of the steps in which it counts, unless it counts in the rolled-up figures: if the
// first quarter of a step in which it counts is no hole.
func (s *steps) addSum(own usage.Totals, above []*member) {
	slices.SortFunc(above, func(a, b *member) int { return a.StartTime.Compare(b.StartTime) })
	last := -1
	for _, m := range above {
		step := s.window.step(m.StartTime)
		if step == last || step < 0 || step >= len(s.figures) {
			continue
		}
		last = step
		first := slices.IndexFunc(above, func(m *member) bool { return m.quarter >= s.window.firstQuarter(step) })
		if s.isHole(above[first].quarter) {
			s.figures[step].Sum = s.figures[step].Sum.Add(own)
		}
	}
}
