package store

// TraceRuns lists the runs of a trace in their dotted order; those that have no place yet come first.
func (t *Tx) TraceRuns(f RunFilter) ([]Run, error) {
	where, args := f.conditions()
	return query(t, scanRun, "SELECT "+runColumns+" FROM runs r WHERE "+where+" ORDER BY r.dotted_order, r.seq", args...)
}
