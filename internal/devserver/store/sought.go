package store

import (
	"cmp"
	"slices"
)

// Labels are two labels of a run. The first one is looked up: it should be the rarer one.
type Labels struct{ First, Other Label }

func (l Label) asStored() Label {
	l.Value = labelValue(l.Value)
	return l
}

// sought are the runs for which a transaction looks by their labels: those that are stored, as far as the transaction hasn't changed them, and
// those that it has saved.
type sought struct {
	by   map[soughtLabel][]*soughtRuns
	runs map[runKey]*foundRun
}

// soughtLabel is a label by which a transaction looks for runs of a workspace.
type soughtLabel struct {
	workspaceID string
	Label
}

// soughtRuns are the runs that have it and another one.
type soughtRuns struct {
	other Label
	found []*foundRun
}

// foundRun is a run that has two labels, or some pairs of them.
type foundRun struct {
	*savedRun
	in []*soughtRuns
}

// mostSought is how many runs with two labels are read ahead. Those that have more are looked up when they are needed.
const mostSought = 20

// forget makes it unknown which runs have two labels.
func (s *sought) forget(of *soughtRuns) {
	for key, all := range s.by {
		s.by[key] = slices.DeleteFunc(all, func(known *soughtRuns) bool { return known == of })
	}
}

// expect returns the runs with two labels: it is known from now on that there are no others.
func (s *sought) expect(workspaceID string, labels Labels) *soughtRuns {
	if s.by == nil {
		s.by, s.runs = map[soughtLabel][]*soughtRuns{}, map[runKey]*foundRun{}
	}
	key, other := soughtLabel{workspaceID, labels.First.asStored()}, labels.Other.asStored()
	for _, of := range s.by[key] {
		if of.other == other {
			return of
		}
	}
	of := &soughtRuns{other: other}
	s.by[key] = append(s.by[key], of)
	return of
}

// add adds a run to those with two labels.
func (s *sought) add(to *soughtRuns, r *savedRun) {
	key := runKey{r.WorkspaceID, r.ID}
	found := s.runs[key]
	if found == nil {
		found = &foundRun{savedRun: r}
		s.runs[key] = found
	}
	if !slices.Contains(found.in, to) {
		found.in, to.found = append(found.in, to), append(to.found, found)
	}
}

// notice notes a run that the transaction saves.
func (s *sought) notice(r *savedRun) {
	key := runKey{r.WorkspaceID, r.ID}
	if before := s.runs[key]; before != nil {
		for _, of := range before.in {
			of.found = slices.DeleteFunc(of.found, func(found *foundRun) bool { return found == before })
		}
		delete(s.runs, key)
	}
	for _, label := range r.labels {
		for _, of := range s.by[soughtLabel{r.WorkspaceID, label.asStored()}] {
			if slices.ContainsFunc(r.labels, func(other Label) bool { return other.asStored() == of.other }) {
				s.add(of, r)
			}
		}
	}
}

// find returns the runs with two labels in the order in which they arrived, if they are known and stored.
func (s *sought) find(workspaceID string, labels Labels) (runs []Run, known bool) {
	other := labels.Other.asStored()
	for _, of := range s.by[soughtLabel{workspaceID, labels.First.asStored()}] {
		if of.other != other {
			continue
		}
		for _, found := range of.found {
			if found.Seq == 0 {
				return nil, false
			}
			runs = append(runs, found.Run)
		}
		slices.SortFunc(runs, func(a, b Run) int { return cmp.Compare(a.Seq, b.Seq) })
		return runs, true
	}
	return nil, false
}
