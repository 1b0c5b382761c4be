package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOldRollups checks that the quarters of an hour that were rolled up before figures counted runs of incomplete costs are marked, and no others.
func TestOldRollups(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	writeVersion(t, path, sqliteSchema.first, `
		INSERT INTO projects (seq, id, workspace_id, name, start_time) VALUES (1, 'p1', 'w', 'n1', 0), (2, 'p2', 'w', 'n2', 0), (3, 'p3', 'w', 'n3', 0);
		INSERT INTO rollups (project, runs, property, value, span, number, figures) VALUES
			(1, 0, 0, '', 1, -1, 1), (1, 1, 0, '', 1, -1, 1), (1, 0, 0, '', 1, 1975240, 1), (1, 0, 0, '', 16, 0, 1);
		INSERT INTO rollup_marks (project, span, number, changes) VALUES (1, 1, -1, 3), (2, 1, -3, 1);`)
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
	if diff := cmp.Diff(map[string][]int64{"p1": {-1, 1975240}, "p2": {-3}}, got); diff != "" {
		t.Errorf("marked quarters (-want +got):\n%s", diff)
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
