package figure

import (
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Reader reads the figures of runs, and figures that are rolled up. It is all that another kind of database would have to provide.
type Reader interface {
	EachTiming(f store.RunFilter, by store.RunGroup, visit func(store.RunTiming) error) error
	EachTimingOfTraces(traces, f store.RunFilter, by store.RunGroup, visit func(store.RunTiming) error) error
	EachFiguresOfTraces(f store.RunFilter, whole bool, visit func(store.RunFigures) error) error
	EachRollup(within store.RollupRange, of store.RollupsOf, visit func(store.Rollup) error) error
	StaleRollups(of store.RollupRange, limit int) ([]int64, error)
}

// The times before and after all runs: the starts of days, a hundred thousand years away.
var (
	never  = startOf(-4e7 * int64(store.OneDay))
	always = startOf(4e7 * int64(store.OneDay))
)

// InSteps returns the figures of the matching runs in steps. The starts of the steps are ascending, from that of the filter on; the last
// step ends with the filter. Details of tokens and costs are read only if they are requested.
func InSteps(r Reader, f store.RunFilter, starts []time.Time, details bool) ([]*Figures, error) {
	groups, err := InGroups(r, f, store.RunGroup{}, starts, details)
	if err != nil || len(groups) > 0 {
		return groups[""], err
	}
	return noFigures(len(starts)), nil
}

// InOne is InSteps for a single step.
func InOne(r Reader, f store.RunFilter, details bool) (*Figures, error) {
	all, err := InSteps(r, f, []time.Time{StartOf(f)}, details)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// StartOf returns when the only step of a filter starts.
func StartOf(f store.RunFilter) time.Time {
	if f.From == nil {
		return never
	}
	return *f.From
}

// InGroups is InSteps for each group of runs that there is.
//
// If the filter selects all runs of a project or the root runs of projects, and at most one property of them is requested, as a condition or
// to group by, then InGroups reads rolled-up figures: those of days within a step, those of quarters of an hour at its ends, and runs where a
// step begins or ends between quarters, and where figures have changed and are not yet rolled up again. Tools, and runs directly below a root,
// can be selected with a name, and calls of models without any cost with the time at which their traces began.
func InGroups(r Reader, f store.RunFilter, by store.RunGroup, starts []time.Time, details bool) (map[string][]*Figures, error) {
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
	scope, rolledUp := scopeOf(f, by)
	if rolledUp && len(f.ProjectIDs) > 1 {
		return inProjects(r, f, by, starts, details)
	}
	s := steps{reader: r, filter: f, by: by, scope: scope, window: w, details: details, groups: map[string][]*Figures{}}
	if rolledUp {
		s.began, _ = unpricedSince(f)
		var err error
		if rolledUp, err = s.readRollups(); err != nil {
			return nil, err
		}
	}
	if !rolledUp {
		s.groups, s.holes = map[string][]*Figures{}, []interval{w.quarters()}
	}
	return s.groups, s.readRuns()
}

// stepsOf returns the figures of a group.
func stepsOf(all map[string][]*Figures, group string, steps int) []*Figures {
	if all[group] == nil {
		all[group] = noFigures(steps)
	}
	return all[group]
}

func noFigures(steps int) []*Figures {
	all := make([]*Figures, steps)
	for i := range all {
		all[i] = &Figures{}
	}
	return all
}

// inProjects is InGroups for root runs of several projects. A run has one root, so it counts in one project.
func inProjects(r Reader, f store.RunFilter, by store.RunGroup, starts []time.Time, details bool) (map[string][]*Figures, error) {
	all := map[string][]*Figures{}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(f.ProjectIDs))) {
		f.ProjectIDs = []string{id}
		groups, err := InGroups(r, f, by, starts, details)
		if err != nil {
			return nil, err
		}
		for group, steps := range groups {
			for i, step := range steps {
				stepsOf(all, group, len(starts))[i].add(step)
			}
		}
	}
	return all, finish(all)
}

// finish makes percentiles available.
func finish(all map[string][]*Figures) error {
	for _, steps := range all {
		for _, step := range steps {
			if err := step.finish(); err != nil {
				return err
			}
		}
	}
	return nil
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

// quarters returns the quarters of the window.
func (w window) quarters() interval {
	return interval{w.firstQuarter(0), store.QuarterOf(w.bounds[len(w.bounds)-1].Add(-time.Microsecond)) + 1}
}

func startOf(quarter int64) time.Time { return store.StartOfQuarter(quarter) }

// Starts returns the start times of steps of the same length. The last one may be cut short and, if the range doesn't start with a quarter
// of an hour, the first one, too: figures are rolled up by quarters.
func Starts(from, to time.Time, step time.Duration) (all []time.Time) {
	for at := from; at.Before(to); at = FirstStep(at, step).Add(step) {
		all = append(all, at)
	}
	return all
}

// FirstStep is when the step with which a range begins would begin if it weren't cut short.
func FirstStep(from time.Time, step time.Duration) time.Time {
	const quarter = 15 * time.Minute
	if step%quarter != 0 {
		return from
	}
	return from.Truncate(quarter)
}
