package store

// Pragma reads a setting of the connection.
func (t *Tx) Pragma(name string) (string, error) { return queryOne(t, scanText, "PRAGMA "+name) }

// Plan is how SQLite would list runs.
func (t *Tx) Plan(f RunFilter, ascending bool, after *RunCursor) ([]string, error) {
	statement, args := f.list(ascending, after, 100)
	return query(t, func(row scanner) (string, error) {
		var id, parent, unused int
		var step string
		err := row.Scan(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+statement, args...)
}
