package store

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

const (
	// maxTracedCandidates is the number of candidates that are read to find out which traces satisfy a condition on their root, or on any of their
	// runs. With more, each trace is looked at when a run of it is reached: a page is soon full then.
	maxTracedCandidates = 4 << 10
	// maxLabelled is the same for runs with a metadata entry, of which only rows are read. They may all be of other projects, and a page of this
	// one is then never full.
	maxLabelled = 32 << 10
	// maxTraceRuns is how many runs the traces that were found may have to be sorted. If there are more, it is faster to go through the runs
	// in the order of the list.
	maxTraceRuns = 10_000
)

// traces is what the search index and the labels know about the traces to which runs must belong.
type traces struct {
	// ids are all of them, if known is set.
	ids   []string
	known bool
	// few reports whether they have so few runs that these are looked up by their traces.
	few bool
	// roots and members are the runs that can satisfy conditions on the root, or on any run, of a trace; nil if all can.
	roots, members *candidates
}

// conditions select the runs of these traces.
func (s traces) conditions() []condition {
	if !s.known {
		return nil
	}
	column := "r.trace_id"
	if !s.few {
		column = unindexed(column)
	}
	return []condition{where(column+" IN "+elements("?"), jsonList(s.ids))}
}

// restrict leaves only some traces.
func (s *traces) restrict(ids []string) {
	if s.known {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !slices.Contains(s.ids, id) })
	}
	s.ids, s.known = ids, true
}

// among returns the condition that an expression holds for a run among candidates, which is known without reading bodies.
func (c *candidates) among(run runRow, e filter.Expr) condition {
	if c == nil {
		return run.holds(e)
	}
	only := run.on.askColumn(run, c, where(run.column("seq")))
	all := run.among
	run.among = func() condition { return join([]condition{all(), only}, "AND", true) }
	return join([]condition{only, run.holds(e)}, "AND", true)
}

// narrowTraces looks up which traces can satisfy the conditions on a root and on any run. Their other runs may be anywhere: in other projects,
// and outside of the time range. The search index finds those with a text, and the labels those with a metadata entry, such as a model.
func (t *Tx) narrowTraces(f RunFilter) (RunFilter, error) {
	for _, of := range []struct {
		where *filter.Expr
		left  **candidates
		root  bool
	}{{&f.RootWhere, &f.traces.roots, true}, {&f.TreeWhere, &f.traces.members, false}} {
		c, err := t.candidatesFor(*of.where)
		limit := maxTracedCandidates
		if c == nil && err == nil {
			c, err = t.labelled(*of.where)
			limit = maxLabelled
		}
		switch {
		case err != nil:
			return f, err
		case c == nil:
			continue
		case c.listed == nil || len(c.listed) > limit:
			c.listed = nil
			*of.left = c
			continue
		}
		ids, err := t.tracesWith(f, *of.where, of.root, c.listed)
		if err != nil {
			return f, err
		}
		f.traces.restrict(ids)
		*of.where = nil
	}
	if !f.traces.known || f.listed() {
		return f, nil
	}
	runs, err := queryOne(t, scanNumber, "SELECT count(*) FROM (SELECT 1 FROM runs r WHERE r.trace_id IN "+elements("?")+" LIMIT ?) o",
		jsonList(f.traces.ids), maxTraceRuns+1)
	f.traces.few = runs <= maxTraceRuns
	return f, err
}

// labelled looks up the runs with a metadata entry that an expression requires; nil if there is none, or if too many have it.
func (t *Tx) labelled(e filter.Expr) (*candidates, error) {
	label, required := requiredLabel(e)
	if !required {
		return nil, nil
	}
	runs, err := query(t, scanNumber, "SELECT l.run FROM run_labels l"+using("run_labels_by_value")+"WHERE l.kind = ? AND l.key = ? AND l.value = ? LIMIT ?",
		label.Kind, label.Key, label.Value, maxLabelled+1)
	if err != nil || len(runs) > maxLabelled {
		return nil, err
	}
	return &candidates{listed: runs}, nil
}

// requiredLabel returns a metadata entry that all runs have for which an expression holds; false if there is none.
func requiredLabel(e filter.Expr) (label Label, required bool) {
	and, _ := e.(filter.And)
	label.Kind = Metadata
	for _, term := range and.Terms {
		if inner, required := requiredLabel(term); required {
			return inner, true
		}
		c, is := term.(filter.Compare)
		switch {
		case !is || c.Op != filter.Equal || c.Value.Text == nil:
		case c.Field == filter.MetadataKey:
			label.Key = *c.Value.Text
		case c.Field == filter.MetadataValue:
			label.Value = labelValue(*c.Value.Text)
		}
	}
	return label, label.Key != "" && label.Value != ""
}

// tracesWith returns the traces of which some runs satisfy a condition. A trace has the ID of its root.
func (t *Tx) tracesWith(f RunFilter, e filter.Expr, root bool, runs jsonNumbers) ([]string, error) {
	run, among := f.row("t"), where(unindexed("t.workspace_id")+" = ? AND "+alive("t")+" AND t.seq IN "+numbers("?"), f.WorkspaceID, runs)
	run.among = func() condition { return among }
	of := join([]condition{among, run.holds(e)}, "AND", true)
	column, only := "t.trace_id", ""
	if root {
		column, only = "t.id", "t.is_root AND "
	}
	return query(t, scanText, "SELECT DISTINCT "+column+" FROM runs t WHERE "+only+of.text, of.arguments...)
}
