package store

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Quarter is the unit in which figures of runs are rolled up.
const Quarter = 15 * time.Minute

// Span is the length of what is rolled up together, in quarters of an hour.
type Span int64

// The spans, as they are stored. Days are those of UTC. Those of most other places begin within four hours of theirs.
const (
	OneQuarter Span = 1
	FourHours  Span = 16
	OneDay     Span = 96
)

// Spans lists the spans. Each is folded into the next one.
var Spans = []Span{OneQuarter, FourHours, OneDay}

// QuarterOf returns the number of the quarter of an hour that contains a time.
func QuarterOf(t time.Time) int64 { return FloorDivide(micros(t), Quarter.Microseconds()) }

// FloorDivide rounds the quotient towards minus infinity: there are times before 1970.
func FloorDivide(n, by int64) int64 {
	quotient := n / by
	if n%by < 0 {
		quotient--
	}
	return quotient
}

// runKey identifies a run.
type runKey struct{ workspaceID, id string }

// runPlace is everything about a run that decides in which rolled-up figures it, and what is below it, counts.
type runPlace struct {
	workspaceID, id, projectID, traceID, order, runType string
	quarter                                             int64
}

func placeOf(r Run) runPlace {
	p := runPlace{r.WorkspaceID, r.ID, r.ProjectID, r.TraceID, "", r.RunType, QuarterOf(r.StartTime)}
	if r.DottedOrder != nil {
		p.order = *r.DottedOrder
	}
	return p
}

// ancestors returns the IDs of the runs above.
func (p runPlace) ancestors() []string {
	var all []string
	for id := range (RunFigures{ID: p.id, DottedOrder: &p.order}).Lineage() {
		if id != p.id && p.order != "" {
			all = append(all, id)
		}
	}
	return all
}

// runMarks collects which runs a transaction changes. Before it commits, it marks the figures in which they count, or have counted:
// those of a run's own quarter of an hour, and those of the quarters of the runs above it, because their figures include it.
type runMarks struct {
	// read are the places of runs that the transaction has read or written last.
	read map[runKey]runPlace
	// changed are the places before and after all changes, and arrived those of runs that had none before.
	changed, arrived map[runPlace]struct{}
	// altered are the places of runs that may have another name, status or model now.
	altered map[runPlace]struct{}
	traces  map[runKey]struct{} // Traces of which everything is marked.
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
		m.changed, m.arrived, m.altered = map[runPlace]struct{}{}, map[runPlace]struct{}{}, map[runPlace]struct{}{}
	}
	m.changed[after] = struct{}{}
	if before != nil {
		m.changed[*before] = struct{}{}
	}
	switch {
	case before != nil && *before == after:
		m.altered[after] = struct{}{}
	case before == nil || before.order == "":
		m.arrived[after] = struct{}{}
	default:
		m.changeTrace(before.workspaceID, before.traceID)
		m.changeTrace(after.workspaceID, after.traceID)
	}
}

// changeTrace notes that runs of a trace may count for others now.
func (m *runMarks) changeTrace(workspaceID, traceID string) {
	if m.traces == nil {
		m.traces = map[runKey]struct{}{}
	}
	m.traces[runKey{workspaceID, traceID}] = struct{}{}
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

// maxMarkedRuns limits how many runs a transaction reads for its marks. The roll-up reads the others.
const maxMarkedRuns = 1000

// markChanged adds the marks of a transaction.
func (t *Tx) markChanged() error {
	m := &t.marks
	type quarter struct {
		projectID string
		number    int64
	}
	quarters, above := map[quarter]struct{}{}, map[runKey]string{}
	for place := range m.changed {
		quarters[quarter{place.projectID, place.quarter}] = struct{}{}
		for _, id := range place.ancestors() {
			above[runKey{place.workspaceID, id}] = place.traceID
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
	for place := range m.changed { // These are marked themselves.
		delete(above, runKey{place.workspaceID, place.id})
	}
	unread := map[string][]string{} // By workspace.
	for run, traceID := range above {
		if len(above) > maxMarkedRuns {
			m.changeTrace(run.workspaceID, traceID)
			continue
		}
		unread[run.workspaceID] = append(unread[run.workspaceID], run.id)
	}
	for workspaceID, ids := range unread {
		list, err := json.Marshal(ids)
		if err != nil {
			return err
		}
		err = t.mark("SELECT DISTINCT r.project, 1, "+startQuarter()+", 1 FROM runs r WHERE r.workspace_id = ? AND r.id IN "+
			elements("?"), workspaceID, string(list))
		if err != nil {
			return err
		}
	}
	if err := errors.Join(t.markBelow(), t.markWide()); err != nil {
		return err
	}
	for trace := range m.traces {
		if err := t.exec(`INSERT INTO rollup_trace_marks (workspace_id, trace_id, changes) VALUES (?, ?, 1)
			ON CONFLICT (workspace_id, trace_id) DO UPDATE SET changes = rollup_trace_marks.changes + 1`, trace.workspaceID, trace.id); err != nil {
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

// markBelow marks the traces in which others were waiting below a run that has arrived: these count for it now. Nearly always, there are
// none, because runs arrive after those above them.
func (t *Tx) markBelow() error {
	arrived := map[runKey][]runPlace{}
	var alone []runKey
	var ranges, parents [][]string
	for place := range t.marks.arrived {
		trace := runKey{place.workspaceID, place.traceID}
		if place.order == "" { // A client may have named it in the places of others all the same.
			alone, ranges = append(alone, trace), append(ranges, []string{trace.id, "", ":", ""})
			continue
		}
		arrived[trace] = append(arrived[trace], place)
		if !place.isRoot() {
			parents = append(parents, []string{place.id, place.order + ".", place.order + "/"})
		}
	}
	if err := t.markBelowElsewhere(parents); err != nil {
		return err
	}
	for trace, places := range arrived {
		if len(places) > 1 {
			if err := t.markBelowMany(trace, places); err != nil {
				return err
			}
			continue
		}
		order := places[0].order
		from, to := order+".", order+"/" // The character after a dot.
		if places[0].isRoot() {
			from, to = "", ":" // The character after the digits.
		}
		alone, ranges = append(alone, trace), append(ranges, []string{trace.id, from, to, order})
	}
	list, err := json.Marshal(ranges)
	if err != nil || ranges == nil {
		return err
	}
	return each(t, scanNumber, func(n int64) error {
		t.marks.changeTrace(alone[n].workspaceID, alone[n].id)
		return nil
	}, "SELECT l.key FROM "+lists+" WHERE EXISTS (SELECT 1 FROM runs r"+using("runs_of_trace")+
		"WHERE r.trace_id = "+elementOfList(0)+" AND r.dotted_order >= "+elementOfList(1)+" AND r.dotted_order < "+elementOfList(2)+
		" AND r.dotted_order <> "+elementOfList(3)+")", string(list))
}

// markBelowElsewhere is markBelow for children whose dotted orders don't begin with that of their parent, because a client named another
// time in them.
func (t *Tx) markBelowElsewhere(parents [][]string) error {
	list, err := json.Marshal(parents)
	if err != nil || parents == nil {
		return err
	}
	return each(t, func(row scanner) (runKey, error) {
		var trace runKey
		err := row.Scan(&trace.workspaceID, &trace.id)
		return trace, err
	}, func(trace runKey) error { t.marks.changeTrace(trace.workspaceID, trace.id); return nil },
		"SELECT DISTINCT r.workspace_id, r.trace_id FROM "+lists+thenJoin+"runs r"+using("runs_of_parent")+"ON r.parent_run_id = "+
			elementOfList(0)+" WHERE r.dotted_order < "+elementOfList(1)+" OR r.dotted_order > "+elementOfList(2), string(list))
}

func (p runPlace) isRoot() bool { return p.id == p.traceID }

// markBelowMany is markBelow for runs of a trace that have arrived together. If there are no others in their range of dotted orders,
// it needn't look below each.
func (t *Tx) markBelowMany(trace runKey, places []runPlace) error {
	orders, to := make([]string, len(places)), ""
	for i, place := range places {
		orders[i], to = place.order, max(to, place.order+"/") // The last one may be below one that has more below it.
	}
	slices.Sort(orders)
	from := orders[0]
	root := slices.ContainsFunc(places, runPlace.isRoot)
	if root {
		from, to = "", ":"
	}
	n, err := t.countOrders(trace, from, to, len(orders)+1)
	if err != nil || n <= len(orders) {
		return err
	}
	others := root
	if !root {
		others, err = t.hasOthersBelow(trace, orders)
	}
	if others {
		t.marks.changeTrace(trace.workspaceID, trace.id)
	}
	return err
}

// hasOthersBelow reports whether any run is below some runs of a trace, besides these.
func (t *Tx) hasOthersBelow(trace runKey, orders []string) (bool, error) {
	if len(orders) > maxMarkedRuns {
		return true, nil
	}
	for i := 0; i < len(orders); {
		from, to, n := orders[i]+".", orders[i]+"/", 0
		for i++; i < len(orders) && orders[i] < to; i++ {
			n++
		}
		found, err := t.countOrders(trace, from, to, n+1)
		if err != nil || found > n {
			return true, err
		}
	}
	return false, nil
}

// countOrders counts the runs of a trace in a range of dotted orders, up to a limit. Those of another workspace with a trace of the same
// ID count, too.
func (t *Tx) countOrders(trace runKey, from, to string, limit int) (int, error) {
	n, err := queryOne(t, scanNumber, "SELECT count(*) FROM (SELECT 1 FROM runs r"+using("runs_of_trace")+
		"WHERE r.trace_id = ? AND r.dotted_order >= ? AND r.dotted_order < ? LIMIT ?) o", trace.id, from, to, limit)
	return int(n), err
}
