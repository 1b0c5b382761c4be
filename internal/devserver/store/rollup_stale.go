package store

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

// RollupMark says that the rolled-up figures of a span may not be those of its runs.
type RollupMark struct {
	WorkspaceID, ProjectID string
	Span                   Span
	Number                 int64
	Changes                int64

	project int64
}

func scanRollupMark(row scanner) (RollupMark, error) {
	var m RollupMark
	err := row.Scan(&m.WorkspaceID, &m.ProjectID, &m.project, &m.Span, &m.Number, &m.Changes)
	return m, err
}

// RollupMarks lists marks, without those of spans of which a part is marked.
func (t *Tx) RollupMarks(limit int) ([]RollupMark, error) {
	const part = ` AND NOT (m.span > ?1 AND EXISTS (SELECT 1 FROM rollup_marks q WHERE q.project = m.project AND q.span = ?1
		AND q.number >= m.number * (m.span / ?1) AND q.number < (m.number + 1) * (m.span / ?1)))`
	return query(t, scanRollupMark, `SELECT p.workspace_id, p.id, m.project, m.span, m.number, m.changes FROM rollup_marks m`+thenJoin+
		`projects p ON p.seq = m.project WHERE true`+part+strings.ReplaceAll(part, "?1", "?2")+" LIMIT ?3", OneQuarter, FourHours, limit)
}

// RollupTraceMark marks all quarters in which runs of a trace started.
type RollupTraceMark struct {
	WorkspaceID, TraceID string
	Changes              int64
}

// RollupTraceMarks lists marks of traces.
func (t *Tx) RollupTraceMarks(limit int) ([]RollupTraceMark, error) {
	return query(t, func(row scanner) (RollupTraceMark, error) {
		var m RollupTraceMark
		err := row.Scan(&m.WorkspaceID, &m.TraceID, &m.Changes)
		return m, err
	}, "SELECT m.workspace_id, m.trace_id, m.changes FROM rollup_trace_marks m LIMIT ?", limit)
}

// QuartersOfTrace returns what the mark of a trace marks.
func (t *Tx) QuartersOfTrace(m RollupTraceMark) ([]RollupMark, error) {
	return query(t, func(row scanner) (RollupMark, error) {
		of := RollupMark{WorkspaceID: m.WorkspaceID}
		err := row.Scan(&of.project, &of.Number)
		return of, err
	}, "SELECT DISTINCT r.project, "+startQuarter()+" FROM runs r"+using("runs_of_trace")+
		"WHERE r.trace_id = ? AND "+unindexed("r.workspace_id")+" = ?", m.TraceID, m.WorkspaceID)
}

// ReplaceTraceMark replaces the mark of a trace by those of its quarters, unless something has changed since it was read.
func (t *Tx) ReplaceTraceMark(m RollupTraceMark, quarters []RollupMark) error {
	gone, err := t.changed("DELETE FROM rollup_trace_marks WHERE workspace_id = ? AND trace_id = ? AND changes = ?",
		m.WorkspaceID, m.TraceID, m.Changes)
	if err != nil || gone == 0 {
		return err
	}
	for _, q := range quarters {
		if err := t.mark("SELECT p.seq, 1, ?, 1 FROM projects p WHERE p.seq = ?", q.Number, q.project); err != nil {
			return err
		}
	}
	return nil
}

// StaleRollups lists the numbers of the marked spans, up to a limit.
func (t *Tx) StaleRollups(of RollupRange, limit int) ([]int64, error) {
	where, args := of.conditions()
	statement := "SELECT r.number FROM rollup_marks r WHERE " + where
	if of.Span == OneQuarter {
		in := ofProjects([]string{of.ProjectID})
		statement += " UNION SELECT " + startQuarter() + " FROM rollup_trace_marks m" + thenJoin + "runs r" + using("runs_of_trace") +
			"ON r.trace_id = m.trace_id WHERE m.workspace_id = ? AND " + unindexed("r.workspace_id") + " = m.workspace_id AND " + in.text +
			" AND r.start_time >= ? AND r.start_time < ?"
		args = slices.Concat(args, []any{of.WorkspaceID}, in.arguments, []any{startOfQuarter(of.From), startOfQuarter(of.To)})
	}
	return query(t, scanNumber, statement+" ORDER BY 1 LIMIT ?", append(args, limit)...)
}

// IncompleteRollups lists the numbers of spans in which values of a property have no row, although there are such runs: any value or, if only
// isn't nil, this one. It lists them up to a limit.
func (t *Tx) IncompleteRollups(of RollupRange, set RunSet, property RunProperty, only *string, limit int) ([]int64, error) {
	where, args := of.conditions()
	statement := "SELECT r.number FROM rollups r WHERE " + where + " AND r.runs = ? AND r.property = ? AND r.value = ''"
	args = append(args, set, property.Rest())
	if only != nil {
		statement += ` AND NOT EXISTS (SELECT 1 FROM rollups v WHERE v.project = r.project AND v.runs = r.runs AND v.property = ? AND v.value = ?
			AND v.span = r.span AND v.number = r.number)`
		args = append(args, property, *only)
	}
	return query(t, scanNumber, statement+" ORDER BY 1 LIMIT ?", append(args, limit)...)
}

// RollupsWith lists the numbers of spans in which a scope has a row, up to a limit.
func (t *Tx) RollupsWith(of RollupRange, scope RollupScope, limit int) ([]int64, error) {
	where, args := of.conditions()
	return query(t, scanNumber, "SELECT r.number FROM rollups r WHERE "+where+" AND r.runs = ? AND r.property = ? AND r.value = ? LIMIT ?",
		append(args, scope.Of, scope.Property, scope.Value, limit)...)
}

// startOfQuarter returns when a quarter begins, as it is stored.
func startOfQuarter(number int64) int64 {
	length := Quarter.Microseconds()
	return max(min(number, math.MaxInt64/length), math.MinInt64/length) * length
}

// markWide marks the wide traces in which runs have been altered that others are below: a run counts once for all runs above it with the
// same name, status or model, whenever these started. It also marks those in which a run below a call of a model has changed, because that
// call may have a cost now.
func (t *Tx) markWide() error {
	places := slices.AppendSeq(slices.Collect(maps.Keys(t.marks.altered)), maps.Keys(t.marks.arrived))
	traces := map[runKey]struct{}{}
	for _, place := range places {
		traces[runKey{place.workspaceID, place.traceID}] = struct{}{}
	}
	wide, err := t.wideTraces(slices.Collect(maps.Keys(traces)))
	if err != nil || len(wide) == 0 {
		return err
	}
	places = slices.DeleteFunc(places, func(p runPlace) bool { return !wide[runKey{p.workspaceID, p.traceID}] })
	ranges := make([][]string, len(places))
	for i, place := range places {
		from, to := place.order+".", place.order+"/" // The character after a dot.
		if place.order == "" {                       // A client may have named it in the places of others all the same.
			from, to = "", ":" // The character after the digits.
		}
		above, err := json.Marshal(place.ancestors())
		if err != nil {
			return err
		}
		ranges[i] = []string{place.traceID, from, to, place.id, place.workspaceID, string(above)}
	}
	list, err := json.Marshal(ranges)
	if err != nil {
		return err
	}
	return each(t, scanNumber, func(n int64) error {
		t.marks.changeTrace(places[n].workspaceID, places[n].traceID)
		return nil
	}, "SELECT l.key FROM "+lists+" WHERE EXISTS (SELECT 1 FROM runs r"+using("runs_of_trace")+
		"WHERE r.trace_id = "+elementOfList(0)+" AND r.dotted_order >= "+elementOfList(1)+" AND r.dotted_order < "+elementOfList(2)+
		") OR EXISTS (SELECT 1 FROM runs r"+using("runs_of_parent")+"WHERE r.parent_run_id = "+elementOfList(3)+
		") OR EXISTS (SELECT 1 FROM "+elements(elementOfList(5))+" a"+thenJoin+"runs r ON r.workspace_id = "+elementOfList(4)+
		" AND r.id = a.value WHERE r.run_type IN ('llm', 'embedding'))", string(list))
}

// wideTraces returns those of some traces that are known to be wide.
func (t *Tx) wideTraces(traces []runKey) (map[runKey]bool, error) {
	wide := map[runKey]bool{}
	if len(traces) == 0 {
		return wide, nil
	}
	keys := make([][]string, len(traces))
	for i, trace := range traces {
		keys[i] = []string{trace.workspaceID, trace.id}
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	return wide, each(t, scanNumber, func(n int64) error { wide[traces[n]] = true; return nil },
		"SELECT l.key FROM "+lists+" WHERE EXISTS (SELECT 1 FROM wide_traces w WHERE w.workspace_id = "+elementOfList(0)+
			" AND w.trace_id = "+elementOfList(1)+")", string(list))
}

// NarrowTraces returns those of some traces of a workspace that are not known to be wide.
func (t *Tx) NarrowTraces(workspaceID string, traces []string) ([]string, error) {
	keys := make([]runKey, len(traces))
	for i, id := range traces {
		keys[i] = runKey{workspaceID, id}
	}
	wide, err := t.wideTraces(keys)
	return slices.DeleteFunc(traces, func(id string) bool { return wide[runKey{workspaceID, id}] }), err
}

// Widen notes that a trace is wide. If its runs may have been altered since that was found out, all its figures are marked.
func (t *Tx) Widen(workspaceID, traceID string, altered bool) error {
	err := t.exec("INSERT INTO wide_traces (workspace_id, trace_id) VALUES (?, ?) ON CONFLICT DO NOTHING", workspaceID, traceID)
	if err == nil && altered {
		t.marks.changeTrace(workspaceID, traceID)
	}
	return err
}
