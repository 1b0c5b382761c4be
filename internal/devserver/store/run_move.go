package store

// Labelled lists the runs that have both labels, in the order in which they arrived.
//
// Labelled looks up the first label, which should be the rarer one.
func (t *Tx) Labelled(workspaceID string, label, other Label) ([]Run, error) {
	return query(t, scanRun, "SELECT "+runColumns+" FROM run_labels l"+using("run_labels_by_value")+thenJoin+`runs r ON r.seq = l.run
		WHERE l.kind = ? AND l.key = ? AND l.value = ? AND `+unindexed("r.workspace_id")+` = ? AND `+alive("r")+` AND EXISTS (
			SELECT 1 FROM run_labels o WHERE o.run = l.run AND o.kind = ? AND o.key = ? AND o.value = ?)
		ORDER BY r.seq`, label.Kind, label.Key, label.Value, workspaceID, other.Kind, other.Key, other.Value)
}

// TraceDepth returns the largest number of runs from the root of a trace down to one of its runs.
func (t *Tx) TraceDepth(workspaceID, traceID string) (int, error) {
	depth, err := queryOne(t, scanNumber, `
		SELECT coalesce(max(length(r.dotted_order) - length(replace(r.dotted_order, '.', '')) + 1), 0) FROM runs r
		WHERE r.trace_id = ? AND `+unindexed("r.workspace_id")+" = ? AND "+alive("r"), traceID, workspaceID)
	return int(depth), err
}

// MoveTrace moves the runs below a root that has become part of another trace; root and moved are the same run, before
// and after.
//
// MoveTrace finds the runs by the prefix of their dotted orders: a slash is the character after a dot.
func (t *Tx) MoveTrace(root, moved Run) error {
	if root.DottedOrder == nil || moved.DottedOrder == nil {
		return nil
	}
	before := placeOf(root)
	t.marks.change(&before, placeOf(moved))
	clear(t.marks.read)
	return t.exec("UPDATE runs"+using("runs_of_trace")+`SET trace_id = ?, dotted_order = ? || substr(dotted_order, ?)
		WHERE trace_id = ? AND dotted_order > ? AND dotted_order < ? AND workspace_id = ?`,
		moved.TraceID, *moved.DottedOrder, len(*root.DottedOrder)+1,
		root.TraceID, *root.DottedOrder+".", *root.DottedOrder+"/", root.WorkspaceID)
}
