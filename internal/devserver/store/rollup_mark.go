package store

import (
	"encoding/json"
	"maps"
	"slices"
)

// runKey identifies a run.
type runKey struct{ workspaceID, id string }

// runPlace is everything about a run that decides in which rolled-up figures it counts.
type runPlace struct {
	workspaceID, id, projectID, traceID string
	quarter                             int64
}

func placeOf(r Run) runPlace {
	return runPlace{r.WorkspaceID, r.ID, r.ProjectID, r.TraceID, QuarterOf(r.StartTime)}
}

// runMarks collects which runs a transaction changes. Before it commits, it marks the figures that depend on them.
//
// These are the figures of the quarters of an hour in which the runs start, or have started. As a run counts for those above it, and at most
// once for several of them, they are also those of other quarters with runs of its trace. A trace that isn't complete within a quarter is noted when
// this quarter is rolled up (rollup_traces); otherwise, its root started in this quarter. So no transaction needs to read more of a trace than
// its root.
type runMarks struct {
	// read are the places of runs that the transaction has read or written last.
	read map[runKey]runPlace
	// changed are the places before and after all changes.
	changed map[runPlace]struct{}
	traces  map[traceKey]struct{} // Those of deleted runs.
}

// see notes the place of a run that may be changed later.
func (m *runMarks) see(r Run) {
	if m.read == nil {
		m.read = map[runKey]runPlace{}
	}
	m.read[runKey{r.WorkspaceID, r.ID}] = placeOf(r)
}

// change notes that a run is now at another place, or has other figures there.
func (m *runMarks) change(before *runPlace, after runPlace) {
	if m.changed == nil {
		m.changed = map[runPlace]struct{}{}
	}
	m.changed[after] = struct{}{}
	if before != nil {
		m.changed[*before] = struct{}{}
	}
}

// changeTrace notes that a run of a trace is deleted.
func (m *runMarks) changeTrace(workspaceID, traceID string) {
	if m.traces == nil {
		m.traces = map[traceKey]struct{}{}
	}
	m.traces[traceKey{workspaceID, traceID}] = struct{}{}
}

// changing notes that a run is about to be saved.
func (t *Tx) changing(r Run) error {
	var before *runPlace
	place, known := t.marks.read[runKey{r.WorkspaceID, r.ID}]
	if r.Seq != 0 && !known {
		stored, err := t.Run(r.WorkspaceID, r.ID)
		if err != nil {
			return err
		}
		place, known = placeOf(stored), true
	}
	if known {
		before = &place
	}
	t.marks.change(before, placeOf(r))
	t.marks.see(r)
	return nil
}

// markChanged adds the marks of a transaction.
func (t *Tx) markChanged() error {
	type quarter struct {
		projectID string
		number    int64
	}
	quarters := map[quarter]struct{}{}
	// By workspace, the traces, and those whose root is read.
	traces, roots := map[string]map[string]struct{}{}, map[string]map[string]struct{}{}
	add := func(to map[string]map[string]struct{}, workspaceID, traceID string) {
		if to[workspaceID] == nil {
			to[workspaceID] = map[string]struct{}{}
		}
		to[workspaceID][traceID] = struct{}{}
	}
	for place := range t.marks.changed {
		quarters[quarter{place.projectID, place.quarter}] = struct{}{}
		add(traces, place.workspaceID, place.traceID)
		if place.id != place.traceID {
			add(roots, place.workspaceID, place.traceID)
		}
	}
	for trace := range t.marks.traces {
		add(traces, trace.workspaceID, trace.traceID)
		add(roots, trace.workspaceID, trace.traceID)
	}
	for place := range t.marks.changed { // These quarters are marked already.
		if place.id == place.traceID {
			delete(roots[place.workspaceID], place.id)
		}
	}
	marked := make([][]any, 0, len(quarters))
	for q := range quarters {
		marked = append(marked, []any{q.projectID, q.number})
	}
	if len(marked) > 0 {
		list, err := json.Marshal(marked)
		if err != nil {
			return err
		}
		// Without a condition, SQLite would take what follows for that of the join.
		if err := t.mark("SELECT p.seq, 1, CAST("+elementOfList(1)+" AS BIGINT), 1 FROM "+lists+thenJoin+
			"projects p ON p.id = "+elementOfList(0)+" WHERE TRUE", string(list)); err != nil {
			return err
		}
	}
	for workspaceID, ids := range traces {
		err := t.mark("SELECT o.project, 1, o.number, 1 FROM rollup_traces o WHERE o.workspace_id = ? AND o.trace_id IN "+elements("?")+
			" UNION SELECT r.project, 1, "+startQuarter()+", 1 FROM runs r WHERE r.workspace_id = ? AND r.id IN "+elements("?"),
			workspaceID, jsonList(slices.AppendSeq([]string{}, maps.Keys(ids))), workspaceID, jsonList(slices.AppendSeq([]string{}, maps.Keys(roots[workspaceID]))))
		if err != nil {
			return err
		}
	}
	return nil
}

// mark adds the marks that a query returns, or counts another change of each.
func (t *Tx) mark(query string, args ...any) error {
	return t.exec("INSERT INTO rollup_marks (project, span, number, changes) "+query+
		" ON CONFLICT (project, span, number) DO UPDATE SET changes = rollup_marks.changes + 1", args...)
}
