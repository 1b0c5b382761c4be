package store

import (
	"errors"
	"math"
	"slices"
	"time"
)

// Quarter is the unit in which figures of runs are rolled up.
const Quarter = 15 * time.Minute

// Span is the length of what is rolled up together, in quarters of an hour.
type Span int64

// The spans, as they are stored. The figures of a day (UTC) are those of its quarters, which all time zones are made of.
const (
	OneQuarter Span = 1
	OneDay     Span = 96
)

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

// RollupScope determines which runs are rolled up together.
type RollupScope struct {
	Of       RunSet
	Property RunProperty
	Value    string
}

// Rest is the scope of a row that says that some values of the property have none.
func (s RollupScope) Rest() RollupScope { return RollupScope{Of: s.Of, Property: -s.Property} }

// IsRest reports whether the scope is a Rest.
func (s RollupScope) IsRest() bool { return s.Property < 0 }

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

// RollupsOf selects scopes.
type RollupsOf struct {
	RollupScope
	AnyValue bool // Of the property.
	Any      bool // Any scope.
}

// EachRollup calls visit with rolled-up figures, in no particular order, until visit fails. Those of marked spans are outdated or missing.
func (t *Tx) EachRollup(within RollupRange, of RollupsOf, visit func(Rollup) error) error {
	where, args := within.conditions()
	index := using("rollups_by_number")
	if !of.Any {
		where, args, index = where+" AND r.runs = ? AND r.property = ?", append(args, of.Of, of.Property), ""
	}
	if !of.Any && !of.AnyValue {
		where, args = where+" AND r.value = ?", append(args, of.Value)
	}
	return each(t, func(row scanner) (r Rollup, err error) {
		err = row.Scan(&r.Of, &r.Property, &r.Value, &r.Number, &r.Figures, &r.Sketches, &r.Samples)
		return r, err
	}, visit, "SELECT r.runs, r.property, r.value, r.number, f.figures, f.sketches, f.samples FROM rollups r"+index+thenJoin+
		"rollup_figures f ON f.seq = r.figures WHERE "+where, args...)
}

// RollupMark marks a span whose rolled-up figures may not be those of its runs.
type RollupMark struct {
	WorkspaceID, ProjectID string
	Span                   Span
	Number                 int64
	Changes                int64

	project int64
}

// RollupMarks lists marks, without those of days of which a quarter is marked.
func (t *Tx) RollupMarks(limit int) ([]RollupMark, error) {
	return query(t, func(row scanner) (m RollupMark, err error) {
		err = row.Scan(&m.WorkspaceID, &m.ProjectID, &m.project, &m.Span, &m.Number, &m.Changes)
		return m, err
	}, `SELECT p.workspace_id, p.id, m.project, m.span, m.number, m.changes FROM rollup_marks m`+thenJoin+`projects p ON p.seq = m.project
		WHERE m.span = ?1 OR NOT EXISTS (SELECT 1 FROM rollup_marks q WHERE q.project = m.project AND q.span = ?1
			AND q.number >= m.number * m.span AND q.number < (m.number + 1) * m.span) LIMIT ?2`, OneQuarter, limit)
}

// StaleRollups lists the numbers of the marked spans, up to a limit.
func (t *Tx) StaleRollups(of RollupRange, limit int) ([]int64, error) {
	where, args := of.conditions()
	return query(t, scanNumber, "SELECT r.number FROM rollup_marks r WHERE "+where+" ORDER BY 1 LIMIT ?", append(args, limit)...)
}

// SaveRollups replaces the rolled-up figures of a span, and removes its mark. It does nothing if something has changed since the mark was
// read. New figures of a quarter mark its day.
//
// Open are the traces that aren't complete within a quarter, so that runs elsewhere change its figures. As such a change is noticed only
// from now on, the mark stays if anything may have changed meanwhile and one of them wasn't known.
func (t *Tx) SaveRollups(m RollupMark, rows []Rollup, open []string, unchanged bool) error {
	list := jsonList(append([]string{}, open...)) // Not null.
	if m.Span == OneQuarter {
		added, err := t.changed("INSERT INTO rollup_traces (workspace_id, trace_id, project, number) SELECT ?, o.value, ?, ? FROM "+elements("?")+
			" o WHERE TRUE ON CONFLICT DO NOTHING", m.WorkspaceID, m.project, m.Number, list)
		if err != nil || added > 0 && !unchanged {
			return err
		}
	}
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
			figures, err = t.insert("INSERT INTO rollup_figures (figures, sketches, samples) VALUES (?, ?, ?)", r.Figures, r.Sketches, r.Samples)
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
	if m.Span == OneDay {
		return nil
	}
	return errors.Join(
		t.exec("DELETE FROM rollup_traces WHERE project = ? AND number = ? AND trace_id NOT IN "+elements("?"), m.project, m.Number, list),
		t.mark("SELECT p.seq, ?, ?, 1 FROM projects p WHERE p.seq = ?", OneDay, FloorDivide(m.Number, int64(OneDay)), m.project),
	)
}

// dropRollups deletes some of the rolled-up figures of a project, and returns how many.
func (t *Tx) dropRollups(project, rows int64) (int64, error) {
	// What several rows have in common is gone with the first of them: nothing reads the figures of a deleted project.
	if err := t.exec("DELETE FROM rollup_figures WHERE seq IN (SELECT r.figures FROM rollups r WHERE r.project = ? LIMIT ?)", project, rows); err != nil {
		return 0, err
	}
	dropped, err := t.changed(`DELETE FROM rollups WHERE (project, span, runs, property, number, value) IN (SELECT r.project, r.span, r.runs, r.property,
		r.number, r.value FROM rollups r WHERE r.project = ? LIMIT ?)`, project, rows)
	if err != nil || dropped == rows {
		return dropped, err
	}
	traces, err := t.changed(`DELETE FROM rollup_traces WHERE (project, number, workspace_id, trace_id) IN (SELECT o.project, o.number, o.workspace_id, o.trace_id
		FROM rollup_traces o WHERE o.project = ? LIMIT ?)`, project, rows-dropped)
	return dropped + traces, err
}

// RolledRun is a run in the trace of one that counts in rolled-up figures.
type RolledRun struct {
	RunFigures
	StartTime       time.Time
	EndTime         *time.Time
	ProjectID       string
	Root, BelowRoot bool
	Status, Name    string
	Model           *string // Nil if its metadata names none.
}

// ModelKey is the metadata entry with the name of the model that a run calls.
const ModelKey = "ls_model_name"

// RolledRuns lists all runs in the traces of those of a project that started in a quarter of an hour, in no particular order.
func (t *Tx) RolledRuns(m RollupMark) ([]RolledRun, error) {
	f := RunFilter{WorkspaceID: m.WorkspaceID, ProjectIDs: []string{m.ProjectID}, From: new(StartOfQuarter(m.Number)), To: new(StartOfQuarter(m.Number + 1))}
	among, of := f.in(t).conditions()
	return query(t, func(row scanner) (r RolledRun, err error) {
		err = row.Scan(append(r.columns(), &r.Figures, timeColumn{&r.StartTime}, nullableTimeColumn{&r.EndTime}, &r.ProjectID, &r.Root, &r.BelowRoot,
			&r.Status, &r.Name, &r.Model)...)
		return r, err
	}, "SELECT "+figureColumns+`, r.figures, r.start_time, r.end_time, (SELECT p.id FROM projects p WHERE p.seq = r.project), r.is_root,
		coalesce(r.parent_run_id = r.trace_id, FALSE), r.status, r.name,
		(SELECT l.value FROM run_labels l WHERE l.run = r.seq AND l.kind = ? AND l.key = ? LIMIT 1)
		FROM runs r`+using("runs_of_trace")+"WHERE r.trace_id IN (SELECT r.trace_id FROM runs r WHERE "+among+") AND "+unindexed("r.workspace_id")+
		" = ? AND "+alive("r"), slices.Concat([]any{Metadata, ModelKey}, of, []any{m.WorkspaceID})...)
}

// StartOfQuarter returns when a quarter of an hour begins.
func StartOfQuarter(number int64) time.Time {
	length := Quarter.Microseconds()
	return time.UnixMicro(max(min(number, math.MaxInt64/length), math.MinInt64/length) * length).UTC()
}
