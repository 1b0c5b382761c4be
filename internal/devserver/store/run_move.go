package store

// Labelled lists some of the runs that have both labels, in the order in which they arrived, after the run with a number.
//
// Labelled looks up the first label, which should be the rarer one.
func (t *Tx) Labelled(workspaceID string, label, other Label, after int64, limit int) ([]Run, error) {
	if found, known := t.unsaved.labelled(workspaceID, Labels{label, other}); known && after == 0 {
		return found[:min(len(found), limit)], nil
	}
	return query(t, scanRun, "SELECT "+runColumns+" FROM run_labels l"+using("run_labels_by_value")+thenJoin+`runs r ON r.seq = l.run
		WHERE l.kind = ? AND l.key = ? AND l.value = ? AND l.run > ? AND `+unindexed("r.workspace_id")+` = ? AND `+alive("r")+` AND EXISTS (
			SELECT 1 FROM run_labels o WHERE o.run = l.run AND o.kind = ? AND o.key = ? AND o.value = ?)
		ORDER BY r.seq LIMIT ?`, label.Kind, label.Key, label.Value, after, workspaceID, other.Kind, other.Key, other.Value, limit)
}

// TraceDepth returns the largest number of runs from the root of a trace down to one of its runs.
func (t *Tx) TraceDepth(workspaceID, traceID string) (int, error) {
	depth, err := queryOne(t, scanNumber, `
		SELECT coalesce(max(length(r.dotted_order) - length(replace(r.dotted_order, '.', '')) + 1), 0) FROM runs r
		WHERE r.trace_id = ? AND `+unindexed("r.workspace_id")+" = ? AND "+alive("r"), traceID, workspaceID)
	return int(depth), err
}
