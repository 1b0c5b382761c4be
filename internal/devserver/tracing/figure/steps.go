package figure

import (
	"reflect"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
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

// InOne returns the figures of all matching runs. Details of tokens and costs are read only if they are requested.
func InOne(r Reader, f store.RunFilter, details bool) (*Figures, error) {
	groups, err := InGroups(r, f, store.RunGroup{}, []time.Time{StartOf(f)}, details)
	if err != nil || len(groups) == 0 {
		return &Figures{}, err
	}
	return groups[""][0], nil
}

// StartOf returns when the only step of a filter starts.
func StartOf(f store.RunFilter) time.Time {
	if f.From == nil {
		return never
	}
	return *f.From
}

// InGroups returns the figures of each group of runs that there is, in steps. The starts of the steps are ascending, from that of the filter on;
// the last step ends with the filter.
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
		for range steps {
			all[group] = append(all[group], &Figures{})
		}
	}
	return all[group]
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

// RolledUp reports whether the figures that a filter selects, in groups, are rolled up: they are read in a moment, however many runs there are. Of
// those by name or by model, that is true of the most frequent ones.
func RolledUp(f store.RunFilter, by store.RunGroup) bool {
	_, is := scopeOf(f, by)
	return is
}

// scopeOf returns the scope of rolled-up figures that a filter selects; false if there is none. If runs are grouped by a property, it has no
// value.
func scopeOf(f store.RunFilter, by store.RunGroup) (store.RollupScope, bool) {
	if _, is := unpricedSince(f); is && by == (store.RunGroup{}) {
		return store.RollupScope{Property: store.UnpricedProperty}, true
	}
	s := selected{roots: f.Root != nil && *f.Root, belowRoot: f.BelowRoot}
	unknown := f.Root != nil && !*f.Root || f.Failed != nil && !*f.Failed || len(f.ProjectIDs) == 0 || !s.addTerms(f.Where) ||
		len(f.ProjectIDs) > 1 && !s.roots // A run has one root, so that one counts in one project.
	if f.RunType != "" {
		s.add(store.TypeProperty, f.RunType)
	}
	if f.Status != "" {
		s.add(store.StatusProperty, f.Status)
	}
	if f.Failed != nil {
		s.add(store.StatusProperty, string(llmrun.StatusError))
	}
	if by != (store.RunGroup{}) {
		property := propertyOf(by)
		s.add(property, "")
		unknown = unknown || property == store.NoProperty
	}
	f.WorkspaceID, f.ProjectIDs, f.Root, f.BelowRoot, f.RunType, f.Status, f.Failed, f.Where = "", nil, nil, false, "", "", nil, nil
	f.From, f.To, f.Subtrees = nil, nil, false
	scope, known := s.scope()
	return scope, known && !unknown && reflect.ValueOf(f).IsZero()
}

// propertyOf returns the property by which runs are grouped; none if figures are not rolled up by it.
func propertyOf(by store.RunGroup) store.RunProperty {
	switch {
	case by.Labels != nil && *by.Labels == *byModel.Labels:
		return store.ModelProperty
	case by.Column == store.ByName:
		return store.NameProperty
	case by.Column == store.ByRunType:
		return store.TypeProperty
	case by.Column == store.ByStatus:
		return store.StatusProperty
	default:
		return store.NoProperty
	}
}

// selected are the conditions of a filter.
type selected struct {
	roots, belowRoot bool
	properties       []store.RollupScope
}

func (s *selected) add(property store.RunProperty, value string) {
	s.properties = append(s.properties, store.RollupScope{Property: property, Value: value})
}

// scope returns the scope of the runs that meet all conditions; false if there is none.
func (s *selected) scope() (scope store.RollupScope, known bool) {
	tool := slices.Index(s.properties, store.RollupScope{Property: store.TypeProperty, Value: string(llmrun.RunTypeTool)})
	set := store.AllRuns
	switch {
	case s.roots:
		set = store.RootRuns
	case s.belowRoot:
		set = store.RunsBelowRoot
	case len(s.properties) == 2 && tool >= 0:
		set, s.properties = store.ToolRuns, slices.Delete(s.properties, tool, tool+1)
	}
	if len(s.properties) > 1 || s.roots && s.belowRoot {
		return scope, false
	}
	for _, one := range s.properties {
		scope = one
	}
	scope.Of = set
	return scope, set == store.AllRuns || set == store.RootRuns || scope.Property == store.NameProperty
}

// properties are the fields of filters that are properties.
var properties = map[filter.Field]store.RunProperty{
	filter.RunType: store.TypeProperty, filter.Status: store.StatusProperty, filter.Name: store.NameProperty,
}

// addTerms adds the conditions of an expression; false if there are others.
func (s *selected) addTerms(where filter.Expr) bool {
	if where == nil {
		return true
	}
	terms := []filter.Expr{where}
	if all, is := where.(filter.And); is {
		terms = all.Terms
	}
	entry := map[filter.Field]string{}
	for _, term := range terms {
		if inner, is := term.(filter.And); is {
			if !s.addTerms(inner) {
				return false
			}
			continue
		}
		if !s.addTerm(term, entry) {
			return false
		}
	}
	if len(entry) == 0 {
		return true
	}
	value, valued := entry[filter.MetadataValue]
	s.add(store.ModelProperty, value)
	return valued && entry[filter.MetadataKey] == store.ModelKey
}

// addTerm adds a condition. Those about a metadata entry are only complete together.
func (s *selected) addTerm(term filter.Expr, entry map[filter.Field]string) bool {
	c, is := term.(filter.Compare)
	if !is || c.Op != filter.Equal {
		return false
	}
	if c.Field == filter.IsRoot && c.Value.Bool != nil && *c.Value.Bool {
		s.roots = true
		return true
	}
	if c.Value.Text == nil {
		return false
	}
	if property, known := properties[c.Field]; known {
		s.add(property, *c.Value.Text)
		return true
	}
	_, twice := entry[c.Field]
	entry[c.Field] = *c.Value.Text
	return !twice && (c.Field == filter.MetadataKey || c.Field == filter.MetadataValue)
}

// period are the times between which traces begin; the end is exclusive.
type period struct{ from, to time.Time }

// contains reports whether the period contains a span.
func (p period) contains(number int64, span store.Span) bool {
	length := int64(span)
	return !startOf(number*length).Before(p.from) && !startOf((number+1)*length).After(p.to)
}

// cuts reports whether the period contains only a part of a span.
func (p period) cuts(number int64, span store.Span) bool {
	length := int64(span)
	return !p.contains(number, span) && startOf(number*length).Before(p.to) && startOf((number+1)*length).After(p.from)
}

// unpricedCalls is how clients look for calls of models without a cost, in traces with gte(start_time, …).
var unpricedCalls, _ = filter.Parse(`and(in(run_type, ["llm", "embedding"]), eq(total_cost, null))`)

// unpricedSince returns when the traces begin whose unpriced calls a filter selects; false if it selects other runs.
func unpricedSince(f store.RunFilter) (period, bool) {
	if !f.Subtrees || len(f.ProjectIDs) != 1 || f.RootWhere == nil || !reflect.DeepEqual(f.Where, unpricedCalls) {
		return period{}, false
	}
	began, known := periodOf(f.RootWhere)
	f.WorkspaceID, f.ProjectIDs, f.From, f.To, f.Where, f.RootWhere, f.Subtrees = "", nil, nil, nil, nil, nil, false
	return began, known && reflect.ValueOf(f).IsZero()
}

// periodOf returns the period of a filter on the roots of traces; false if it is about something else.
func periodOf(where filter.Expr) (period, bool) {
	terms := []filter.Expr{where}
	if all, is := where.(filter.And); is {
		terms = all.Terms
	}
	p := period{never, always}
	for _, term := range terms {
		c, is := term.(filter.Compare)
		if !is || c.Field != filter.StartTime || c.Value.Time == nil {
			return p, false
		}
		switch at := c.Value.Time.Truncate(time.Microsecond); { // Run times are as precise.
		case c.Op == filter.GreaterOrEqual && at.After(p.from):
			p.from = at
		case c.Op == filter.Less && at.Before(p.to):
			p.to = at
		default:
			return p, false
		}
	}
	return p, true
}
