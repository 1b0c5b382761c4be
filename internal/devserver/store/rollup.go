package store

import (
	"errors"
	"slices"
	"time"
)

// Rollup contains the figures of runs of a project that started within a span of time.
type Rollup struct {
	RollupScope
	Number   int64  // Of the span.
	Figures  string // A JSON object.
	Sketches []byte
	Samples  []byte
}

// RunSet is a set of runs whose figures are rolled up together.
type RunSet int

// The sets, as they are stored.
const (
	AllRuns       RunSet = 0
	RootRuns      RunSet = 1
	ToolRuns      RunSet = 2
	RunsBelowRoot RunSet = 3 // Directly.
)

// RunProperty is a property of runs by which figures are rolled up.
type RunProperty int

// The properties, as they are stored.
const (
	NoProperty     RunProperty = 0
	TypeProperty   RunProperty = 1
	StatusProperty RunProperty = 2
	NameProperty   RunProperty = 3
	ModelProperty  RunProperty = 4
	// UnpricedProperty is that of calls of models without any cost. Its value is the number of the span in which their trace began.
	UnpricedProperty RunProperty = 5
)

// Rest is the property of rows that say that some values of a property have no row.
func (p RunProperty) Rest() RunProperty { return -p }

// RollupScope says which runs are rolled up together.
type RollupScope struct {
	Of       RunSet
	Property RunProperty
	Value    string
}

// RollupRange selects rolled-up figures of a project of a workspace, from one number to another; the end is exclusive.
type RollupRange struct {
	WorkspaceID, ProjectID string
	Span                   Span
	From, To               int64
}

func (r RollupRange) conditions() (string, []any) {
	return "r.project = (SELECT p.seq FROM projects p WHERE p.id = ? AND p.workspace_id = ?) AND r.span = ? AND r.number >= ? AND r.number < ?",
		[]any{r.ProjectID, r.WorkspaceID, r.Span, r.From, r.To}
}

func scanRollup(row scanner) (Rollup, error) {
	var r Rollup
	err := row.Scan(&r.Of, &r.Property, &r.Value, &r.Number, &r.Figures, &r.Sketches, &r.Samples)
	return r, err
}

// selectRollups returns a query for rolled-up figures, by an index unless it is empty.
func selectRollups(index, where string) string {
	return "SELECT r.runs, r.property, r.value, r.number, f.figures, f.sketches, f.samples FROM rollups r" + index + thenJoin +
		"rollup_figures f ON f.seq = r.figures WHERE " + where
}

// EachRollup calls visit with rolled-up figures of a scope, oldest first, until visit fails.
func (t *Tx) EachRollup(of RollupRange, scope RollupScope, visit func(Rollup) error) error {
	where, args := of.conditions()
	return each(t, scanRollup, visit, selectRollups("", where+" AND r.runs = ? AND r.property = ? AND r.value = ? ORDER BY r.number"),
		append(args, scope.Of, scope.Property, scope.Value)...)
}

// EachRollupOfValues is EachRollup for all values of a property that have rows, in no particular order.
func (t *Tx) EachRollupOfValues(of RollupRange, set RunSet, property RunProperty, visit func(Rollup) error) error {
	where, args := of.conditions()
	return each(t, scanRollup, visit, selectRollups(using("rollups_by_number"), where+" AND r.runs = ? AND r.property = ?"),
		append(args, set, property)...)
}

// RollupsOfAll lists rolled-up figures of all scopes.
func (t *Tx) RollupsOfAll(of RollupRange) ([]Rollup, error) {
	where, args := of.conditions()
	return query(t, scanRollup, selectRollups(using("rollups_by_number"), where), args...)
}

// SaveRollups replaces the rolled-up figures of a span, and removes its mark. It does nothing if something has changed since the mark was
// read. New figures mark the longer span that contains them.
func (t *Tx) SaveRollups(m RollupMark, rows []Rollup) error {
	same := []any{m.project, m.Span, m.Number}
	gone, err := t.changed("DELETE FROM rollup_marks WHERE project = ? AND span = ? AND number = ? AND changes = ?", append(same, m.Changes)...)
	if err != nil || gone == 0 {
		return err
	}
	const those = "WHERE project = ? AND span = ? AND number = ?"
	if err := errors.Join(
		t.exec("DELETE FROM rollup_figures WHERE seq IN (SELECT figures FROM rollups"+using("rollups_by_number")+those+")", same...),
		t.exec("DELETE FROM rollups"+using("rollups_by_number")+those, same...),
	); err != nil {
		return err
	}
	known := map[string]int64{}
	for _, r := range rows {
		content := r.Figures + "\n" + string(r.Sketches) + "\n" + string(r.Samples)
		figures, is := known[content]
		if !is {
			figures, err = t.backend.insert(t, "INSERT INTO rollup_figures (figures, sketches, samples) VALUES (?, ?, ?)", []any{r.Figures, r.Sketches, r.Samples})
			if err != nil {
				return err
			}
			known[content] = figures
		}
		if err := t.exec("INSERT INTO rollups (project, span, number, runs, property, value, figures) VALUES (?, ?, ?, ?, ?, ?, ?)",
			append(same, r.Of, r.Property, r.Value, figures)...); err != nil {
			return err
		}
	}
	next := slices.Index(Spans, m.Span) + 1
	if next == len(Spans) {
		return nil
	}
	return t.mark("SELECT p.seq, ?, ?, 1 FROM projects p WHERE p.seq = ?", Spans[next], FloorDivide(m.Number, int64(Spans[next]/m.Span)), m.project)
}

// dropRollups deletes some of the rolled-up figures of a project, and returns how many.
func (t *Tx) dropRollups(project, rows int64) (int64, error) {
	// What several rows have in common is gone with the first of them: nothing reads the figures of a deleted project.
	if err := t.exec("DELETE FROM rollup_figures WHERE seq IN (SELECT r.figures FROM rollups r WHERE r.project = ? LIMIT ?)", project, rows); err != nil {
		return 0, err
	}
	return t.changed(`DELETE FROM rollups WHERE (project, runs, property, value, span, number) IN (SELECT r.project, r.runs, r.property, r.value,
		r.span, r.number FROM rollups r WHERE r.project = ? LIMIT ?)`, project, rows)
}

// RolledRun is a run that counts in rolled-up figures.
type RolledRun struct {
	RunTiming
	Root, BelowRoot       bool
	RunType, Status, Name string
	DottedOrder           *string    // Nil while its parent is unknown.
	Model                 *string    // Nil if its metadata names none.
	TraceStart            *time.Time // When the root of its trace started; nil if that is unknown.
}

// ModelKey is the metadata entry with the name of the model that a run calls.
const ModelKey = "ls_model_name"

// EachRolledRun calls visit with every matching run in the traces of other runs, in no particular order, until visit fails.
func (t *Tx) EachRolledRun(traces, f RunFilter, visit func(RolledRun) error) error {
	among, of := traces.in(t).conditions()
	where, args := f.in(t).conditions()
	return each(t, func(row scanner) (RolledRun, error) {
		var r RolledRun
		err := row.Scan(&r.ID, &r.TraceID, timeColumn{&r.StartTime}, nullableTimeColumn{&r.EndTime}, &r.Failed, &r.Root, &r.BelowRoot,
			&r.RunType, &r.Status, &r.Name, &r.DottedOrder, &r.Model, nullableTimeColumn{&r.TraceStart})
		return r, err
	}, visit, `SELECT r.id, r.trace_id, r.start_time, r.end_time, r.error IS NOT NULL, r.is_root, coalesce(r.parent_run_id = r.trace_id, FALSE),
		r.run_type, r.status, r.name, r.dotted_order, (SELECT l.value FROM run_labels l WHERE l.run = r.seq AND l.kind = ? AND l.key = ? LIMIT 1),
		(SELECT t.start_time FROM runs t WHERE t.is_root AND t.id = r.trace_id AND t.workspace_id = r.workspace_id)
		FROM runs r`+using("runs_of_trace")+"WHERE r.trace_id IN (SELECT r.trace_id FROM runs r WHERE "+among+") AND "+where,
		slices.Concat([]any{Metadata, ModelKey}, of, args)...)
}
