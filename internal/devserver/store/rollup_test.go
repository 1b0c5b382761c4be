package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOldRollups checks that all figures are marked of a file from before roll-ups, and of one from before these were made by status, name and
// model: those of each quarter of an hour in which runs of a project started, and no others.
func TestOldRollups(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	must(t, err)
	const second, quarter = int64(1e6), int64(900e6)
	starts := map[int][]int64{
		1: {-1, 0, quarter - 1, quarter, 1777716000 * second, 1777716000*second + 5, 1777720000 * second}, 2: {-quarter, -2*quarter - 1}, 3: nil,
	}
	var rows strings.Builder
	for project, times := range starts {
		fmt.Fprintf(&rows, "INSERT INTO projects (seq, id, workspace_id, name, start_time) VALUES (%d, 'p%d', 'w', 'n%d', 0);\n", project, project, project)
		for n, at := range times {
			fmt.Fprintf(&rows, `INSERT INTO runs (workspace_id, id, project, trace_id, name, run_type, status, is_root, start_time, prompt_tokens,
				completion_tokens, total_tokens, figures, received_at) VALUES ('w', 'r%d-%d', %d, 't', 'n', 'llm', 's', 1, %d, 0, 0, 0, '{}', 0);`,
				project, n, project, at)
		}
	}
	// What was rolled up: the first three quarters, and the day of the others.
	const rolledUp = `INSERT INTO rollups (project, roots, run_type, days, number, figures) VALUES (1, 0, '', 0, -1, '{}'), (1, 1, '', 0, -1, '{}'),
			(1, 0, '', 0, 0, '{}'), (1, 0, 'llm', 0, 1, '{}'), (1, 0, '', 1, 20575, '{}');
		INSERT INTO rollup_marks (project, days, number, changes) VALUES (1, 0, 1, 3), (1, 0, 1975240, 1), (1, 0, 1975244, 2), (1, 1, 0, 1),
			(2, 0, -3, 1), (2, 0, -1, 1), (2, 1, -1, 1);`
	const since = `INSERT INTO rollups (project, runs, property, value, span, number, figures) VALUES (1, 0, 0, '', 1, -1, 1), (1, 1, 0, '', 1, -1, 1),
			(1, 0, 0, '', 1, 1975240, 1), (1, 0, 0, '', 16, 0, 1);
		INSERT INTO rollup_marks (project, span, number, changes) VALUES (1, 1, -1, 3), (2, 1, -3, 1);`
	all := map[string][]int64{"p1": {-1, 0, 1, 1975240, 1975244}, "p2": {-3, -1}}
	for migration, tc := range map[string]struct {
		rolledUp string
		want     map[string][]int64
	}{
		"0012_": {"", all}, "0015_": {rolledUp, all}, "_cost_incomplete": {since, map[string][]int64{"p1": {-1, 1975240}, "p2": {-3}}},
	} {
		before := slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, migration) })
		path := filepath.Join(t.TempDir(), "plane.db")
		writeVersion(t, path, names[:before], rows.String()+tc.rolledUp)
		db, err := Open(t.Context(), path)
		must(t, err)
		got := map[string][]int64{}
		err = db.Read(t.Context(), func(tx *Tx) error {
			marks, err := tx.RollupMarks(100)
			for _, m := range marks {
				if m.Span != OneQuarter || m.WorkspaceID != "w" {
					t.Errorf("mark of %+v, want only quarters of w", m)
				}
				got[m.ProjectID] = append(got[m.ProjectID], m.Number)
			}
			return err
		})
		must(t, errors.Join(err, db.Close()))
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("marked quarters of a file before %s (-want +got):\n%s", migration, diff)
		}
	}
}

// TestRollupsOfADeletedProject checks that nothing is left of the figures of a deleted project, and that no transaction deletes very many.
func TestRollupsOfADeletedProject(t *testing.T) {
	t.Parallel()
	db, err := open(t.Context(), "")
	must(t, err)
	defer db.Close()
	count := func(tx *Tx) (n int64) {
		n, err := queryOne(tx, scanNumber, "SELECT (SELECT count(*) FROM rollups) + (SELECT count(*) FROM rollup_figures)")
		must(t, err)
		return n
	}
	steps := []func(*Tx) error{func(tx *Tx) error {
		if err := tx.EnsureProject(Project{ID: "p", WorkspaceID: "w", Name: "p"}); err != nil {
			return err
		}
		return tx.mark("SELECT seq, 1, 7, 1 FROM projects WHERE true")
	}, func(tx *Tx) error {
		marks, err := tx.RollupMarks(1)
		if err != nil {
			return err
		}
		var rows []Rollup
		for n := range 2*sliceRows + 500 {
			rows = append(rows, Rollup{RollupScope: RollupScope{Property: NameProperty, Value: fmt.Sprint(n)}, Figures: fmt.Sprint(n / 2)})
		}
		return tx.SaveRollups(marks[0], rows)
	}, func(tx *Tx) error { return tx.DeleteProject("w", "p") }}
	for _, step := range steps {
		must(t, db.Do(t.Context(), step))
	}
	var left []int64
	for more := true; more; {
		var n int64
		read(t, db, func(tx *Tx) error { n = count(tx); return nil })
		left = append(left, n)
		if more, err = db.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if last := left[len(left)-1]; last != 0 || left[0] < 2*sliceRows {
		t.Errorf("rows after each transaction = %v, want more than %d after the first and none after the last", left, 2*sliceRows)
	}
}

// TestLateRunsAreMarked saves a run that is the last of its trace to arrive, together with one below it: the trace is marked, because
// another run below it now counts for it.
func TestLateRunsAreMarked(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), "")
	must(t, err)
	defer db.Close()
	saved := func(orders ...string) (marks []RollupTraceMark) {
		err := db.Do(t.Context(), func(tx *Tx) error {
			if err := tx.EnsureProject(Project{ID: "p", WorkspaceID: "w", Name: "p"}); err != nil {
				return err
			}
			for _, order := range orders {
				r := Run{WorkspaceID: "w", ProjectID: "p", ID: order[strings.LastIndex(order, "Z")+1:], TraceID: "root", DottedOrder: &order, Figures: "{}"}
				if r.ID != "root" {
					r.ParentRunID = new("unknown")
				}
				if err := tx.SaveRun(r, RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			err = db.Read(t.Context(), func(tx *Tx) (err error) { marks, err = tx.RollupTraceMarks(10); return err })
		}
		must(t, err)
		return marks
	}
	if marks := saved("1Zroot", "1Zroot.1Zother"); len(marks) > 0 {
		t.Errorf("marks = %v after runs that nothing was below, want none", marks)
	}
	if marks := saved("1Zroot.2Zlate.9Zearly"); len(marks) > 0 {
		t.Errorf("marks = %v after a run that nothing was below, want none", marks)
	}
	want := []RollupTraceMark{{WorkspaceID: "w", TraceID: "root", Changes: 1}}
	if diff := cmp.Diff(want, saved("1Zroot.2Zlate", "1Zroot.2Zlate.1Zlater")); diff != "" {
		t.Errorf("marks after a late run (-want +got):\n%s", diff)
	}
}
