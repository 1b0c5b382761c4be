package figure

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

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
		own, err = totalsOf(run)
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
