package store

import (
	"math"
	"slices"
)

// RollupMark says that the rolled-up figures of a quarter of an hour, or of a day, may not be those of its runs.
type RollupMark struct {
	WorkspaceID, ProjectID string
	Days                   bool
	Number                 int64
	Changes                int64

	project int64
}

func scanRollupMark(row scanner) (RollupMark, error) {
	var m RollupMark
	err := row.Scan(&m.WorkspaceID, &m.ProjectID, &m.project, &m.Days, &m.Number, &m.Changes)
	return m, err
}

// RollupMarks lists marks, without those of days of which a quarter is marked.
func (t *Tx) RollupMarks(limit int) ([]RollupMark, error) {
	return query(t, scanRollupMark, `SELECT p.workspace_id, p.id, m.project, m.days, m.number, m.changes FROM rollup_marks m`+thenJoin+
		`projects p ON p.seq = m.project
		WHERE m.days = 0 OR NOT EXISTS (SELECT 1 FROM rollup_marks q
			WHERE q.project = m.project AND q.days = 0 AND q.number >= m.number * ? AND q.number < (m.number + 1) * ?)
		LIMIT ?`, QuartersOfDay, QuartersOfDay, limit)
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
	}, "SELECT DISTINCT r.project, "+quarterOf("r.start_time")+" FROM runs r"+using("runs_of_trace")+
		"WHERE r.trace_id = ? AND "+unindexed("r.workspace_id")+" = ?", m.TraceID, m.WorkspaceID)
}

// ReplaceTraceMark replaces the mark of a trace by those of its quarters, unless something has changed since it was read.
func (t *Tx) ReplaceTraceMark(m RollupTraceMark, quarters []RollupMark) error {
	gone, err := t.change("DELETE FROM rollup_trace_marks WHERE workspace_id = ? AND trace_id = ? AND changes = ?",
		[]any{m.WorkspaceID, m.TraceID, m.Changes})
	if err != nil {
		return err
	}
	if n, err := gone.RowsAffected(); err != nil || n == 0 {
		return err
	}
	for _, q := range quarters {
		if err := t.markQuarters("SELECT p.seq, 0, ?, 1 FROM projects p WHERE p.seq = ?", q.Number, q.project); err != nil {
			return err
		}
	}
	return nil
}

// StaleRollups lists the numbers of the marked quarters, or days, up to a limit.
func (t *Tx) StaleRollups(workspaceID string, of RollupRange, limit int) ([]int64, error) {
	where, args := of.conditions()
	statement := "SELECT r.number FROM rollup_marks r WHERE " + where
	if !of.Days {
		in := ofProjects([]string{of.ProjectID})
		statement += " UNION SELECT " + quarterOf("r.start_time") + " FROM rollup_trace_marks m" + thenJoin + "runs r" + using("runs_of_trace") +
			"ON r.trace_id = m.trace_id WHERE m.workspace_id = ? AND " + unindexed("r.workspace_id") + " = m.workspace_id AND " + in.text +
			" AND r.start_time >= ? AND r.start_time < ?"
		args = slices.Concat(args, []any{workspaceID}, in.arguments, []any{startOfQuarter(of.From), startOfQuarter(of.To)})
	}
	return query(t, scanNumber, statement+" ORDER BY 1 LIMIT ?", append(args, limit)...)
}

// startOfQuarter returns when a quarter begins, as it is stored.
func startOfQuarter(number int64) int64 {
	length := Quarter.Microseconds()
	return max(min(number, math.MaxInt64/length), math.MinInt64/length) * length
}
