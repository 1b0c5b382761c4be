package store

// Rollup contains the figures of the runs of a project that started in a quarter of an hour, or on a day.
type Rollup struct {
	RollupScope
	Days     bool
	Number   int64  // Of the day, or of the quarter of an hour.
	Figures  string // A JSON object.
	Sketches []byte
	Samples  []byte
}

// RollupScope says which runs are rolled up together.
type RollupScope struct {
	Roots   bool   // Root runs only.
	RunType string // Runs of this type only; empty for all.
}

// RollupRange selects rolled-up figures of a project, from one number to another; the end is exclusive.
type RollupRange struct {
	ProjectID string
	Days      bool
	From, To  int64
}

func (r RollupRange) conditions() (string, []any) {
	of := ofProjects([]string{r.ProjectID})
	return of.text + " AND r.days = ? AND r.number >= ? AND r.number < ?", append(of.arguments, r.Days, r.From, r.To)
}

func scanRollup(row scanner) (Rollup, error) {
	var r Rollup
	err := row.Scan(&r.Roots, &r.RunType, &r.Days, &r.Number, &r.Figures, &r.Sketches, &r.Samples)
	return r, err
}

const selectRollups = "SELECT r.roots, r.run_type, r.days, r.number, r.figures, r.sketches, r.samples FROM rollups r"

// EachRollup calls visit with rolled-up figures, oldest first, until visit fails.
func (t *Tx) EachRollup(of RollupRange, scope RollupScope, visit func(Rollup) error) error {
	where, args := of.conditions()
	return each(t, scanRollup, visit, selectRollups+" WHERE "+where+" AND r.roots = ? AND r.run_type = ? ORDER BY r.number",
		append(args, scope.Roots, scope.RunType)...)
}

// RollupsOfAll lists rolled-up figures of all scopes.
func (t *Tx) RollupsOfAll(of RollupRange) ([]Rollup, error) {
	where, args := of.conditions()
	return query(t, scanRollup, selectRollups+using("rollups_by_number")+"WHERE "+where, args...)
}

// SaveRollups replaces the rolled-up figures of a quarter or day, and removes its mark. It does nothing if something has changed since
// the mark was read. A new quarter marks its day.
func (t *Tx) SaveRollups(m RollupMark, rows []Rollup) error {
	same := []any{m.project, m.Days, m.Number}
	gone, err := t.change("DELETE FROM rollup_marks WHERE project = ? AND days = ? AND number = ? AND changes = ?", append(same, m.Changes))
	if err != nil {
		return err
	}
	if n, err := gone.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if err := t.exec("DELETE FROM rollups"+using("rollups_by_number")+"WHERE project = ? AND days = ? AND number = ?", same...); err != nil {
		return err
	}
	for _, r := range rows {
		err := t.exec("INSERT INTO rollups (project, days, number, roots, run_type, figures, sketches, samples) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			append(same, r.Roots, r.RunType, r.Figures, r.Sketches, r.Samples)...)
		if err != nil {
			return err
		}
	}
	if m.Days {
		return nil
	}
	return t.markQuarters("SELECT ?, 1, ?, 1 WHERE true", m.project, FloorDivide(m.Number, QuartersOfDay))
}
