package store

// Pragma reads a setting of the connection.
func (t *Tx) Pragma(name string) (string, error) { return queryOne(t, scanText, "PRAGMA "+name) }

// Plan is how SQLite would list runs.
func (t *Tx) Plan(f RunFilter, ascending bool, after *RunCursor) ([]string, error) {
	return t.explain(f.list(ascending, after, 100))
}

// PlanTimings is how SQLite would read how runs went.
func (t *Tx) PlanTimings(f RunFilter, by RunGroup) ([]string, error) { return t.explain(f.timings(by)) }

// PlanFigures is how SQLite would read figures.
func (t *Tx) PlanFigures(f RunFilter) ([]string, error) { return t.explain(f.figures()) }

// PlanFiguresOfTraces is how SQLite would read the figures of traces.
func (t *Tx) PlanFiguresOfTraces(f RunFilter) ([]string, error) {
	return t.explain(f.figuresOfTraces(true))
}

// PlanTraceRuns is how SQLite would list the runs of a trace.
func (t *Tx) PlanTraceRuns(f RunFilter) ([]string, error) { return t.explain(f.traceRuns()) }

// PlanThreads is how SQLite would list conversations.
func (t *Tx) PlanThreads(f RunFilter, after *Thread) ([]string, error) {
	return t.explain(f.threads(after, 100, 0))
}

// PlanThreadRuns is how SQLite would list the runs of conversations.
func (t *Tx) PlanThreadRuns(f RunFilter, threadIDs []string) ([]string, error) {
	return t.explain(f.threadRuns(threadIDs))
}

func (t *Tx) explain(statement string, args []any) ([]string, error) {
	return query(t, func(row scanner) (string, error) {
		var id, parent, unused int
		var step string
		err := row.Scan(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+statement, args...)
}
