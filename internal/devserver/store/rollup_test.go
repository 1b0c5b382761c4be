package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
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
	assert.Same(t, "marked quarters", map[string][]int64{"p1": {-1, 1975240}, "p2": {-3}}, got)
}

// TestRollupsOfADeletedProject checks that nothing is left of the figures of a deleted project, and that no transaction deletes very many.
func TestRollupsOfADeletedProject(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), "")
	must(t, err)
	defer db.Close()
	count := func(tx *Tx) (n int64) {
		n, err := queryOne(tx, scanNumber, "SELECT (SELECT count(*) FROM rollups) + (SELECT count(*) FROM rollup_figures) + (SELECT count(*) FROM rollup_traces)")
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
		return tx.SaveRollups(marks[0], rows, []string{"elsewhere", "open"}, true)
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

// TestMarks checks which figures are marked after runs have changed that are below others, or above.
func TestMarks(t *testing.T) {
	t.Parallel()
	// A run of the trace "root", which starts in the quarter of an hour with that number.
	at := func(quarter int, order string) Run {
		r := Run{
			WorkspaceID: "w", ProjectID: "p", ID: order[strings.LastIndex(order, "Z")+1:], TraceID: "root", DottedOrder: &order, Figures: "{}",
			StartTime: StartOfQuarter(int64(quarter)),
		}
		if r.ID != r.TraceID {
			r.ParentRunID = new("above")
		}
		return r
	}
	elsewhere := at(2, "1Zroot.2Zbelow")
	elsewhere.ProjectID = "q"
	other := at(2, "1Zother")
	other.TraceID, other.ParentRunID = "other", nil
	moved := at(1, "1Zother.1Zroot")
	moved.TraceID, moved.ParentRunID = "other", new("other")
	for name, tc := range map[string]struct {
		stored   []Run
		open     []int64 // The quarters within which the trace isn't complete.
		saved    []Run
		unstored bool // Deleted instead.
		want     []string
	}{
		"the first run":                             {saved: []Run{at(1, "1Zroot")}, want: []string{"p1"}},
		"a run below another one":                   {stored: []Run{at(1, "1Zroot")}, saved: []Run{at(1, "1Zroot.2Zbelow")}, want: []string{"p1"}},
		"a later run below another one":             {stored: []Run{at(1, "1Zroot")}, saved: []Run{at(2, "1Zroot.2Zbelow")}, want: []string{"p1", "p2"}},
		"a run in another project":                  {stored: []Run{at(1, "1Zroot")}, saved: []Run{elsewhere}, want: []string{"p1", "q2"}},
		"a root that arrives after a run below it":  {stored: []Run{at(3, "1Zroot.2Zbelow")}, open: []int64{3}, saved: []Run{at(1, "1Zroot")}, want: []string{"p1", "p3"}},
		"a run of a trace in several quarters":      {stored: []Run{at(1, "1Zroot"), at(2, "1Zroot.2Zbelow")}, open: []int64{1, 2}, saved: []Run{at(3, "1Zroot.3Zlater")}, want: []string{"p1", "p2", "p3"}},
		"a run that starts at another time":         {stored: []Run{at(1, "1Zroot")}, saved: []Run{at(5, "1Zroot")}, want: []string{"p1", "p5"}},
		"a root that becomes part of another trace": {stored: []Run{at(1, "1Zroot"), other}, saved: []Run{moved}, want: []string{"p1", "p2"}},
		"a deleted run":                             {stored: []Run{at(1, "1Zroot"), at(2, "1Zroot.2Zbelow")}, open: []int64{1, 2}, saved: []Run{at(2, "1Zroot.2Zbelow")}, unstored: true, want: []string{"p1", "p2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := Open(t.Context(), Data(t))
			must(t, err)
			defer db.Close()
			save := func(tx *Tx, r Run) error {
				if stored, err := tx.Run(r.WorkspaceID, r.ID); err == nil {
					r.Seq = stored.Seq
				}
				return tx.SaveRun(r, RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil)
			}
			var got []string
			steps := []func(*Tx) error{func(tx *Tx) error {
				return errors.Join(tx.EnsureProject(Project{ID: "p", WorkspaceID: "w", Name: "p"}), tx.EnsureProject(Project{ID: "q", WorkspaceID: "w", Name: "q"}))
			}, func(tx *Tx) (err error) {
				for _, r := range tc.stored {
					err = errors.Join(err, save(tx, r))
				}
				return err
			}, func(tx *Tx) error { // Everything is rolled up.
				marks, err := tx.RollupMarks(100)
				for _, m := range marks {
					var traces []string
					if slices.Contains(tc.open, m.Number) {
						traces = []string{"root"}
					}
					err = errors.Join(err, tx.SaveRollups(m, nil, traces, true))
				}
				return errors.Join(err, tx.exec("DELETE FROM rollup_marks"))
			}, func(tx *Tx) (err error) {
				for _, r := range tc.saved {
					if !tc.unstored {
						err = errors.Join(err, save(tx, r))
						continue
					}
					stored, missing := tx.Run(r.WorkspaceID, r.ID)
					_, deleted := tx.deleteRuns([]doomed{{stored.Seq, 0, r.WorkspaceID, r.ID}}, sliceRows)
					err = errors.Join(err, missing, deleted)
				}
				return err
			}, func(tx *Tx) error {
				marks, err := tx.RollupMarks(100)
				for _, m := range marks {
					got = append(got, fmt.Sprint(m.ProjectID, m.Number))
				}
				return err
			}}
			for _, step := range steps {
				must(t, db.Do(t.Context(), step))
			}
			slices.Sort(got)
			assert.Same(t, "marked quarters", tc.want, got)
		})
	}
}

// TestUnnoticedChange rolls up a quarter of an hour with a trace that isn't complete within it. As nothing was noticed of what has changed elsewhere
// since the figures were computed, these are computed once more.
func TestUnnoticedChange(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Data(t))
	must(t, err)
	defer db.Close()
	for i, step := range []struct{ unchanged, stored bool }{{false, false}, {false, true}, {true, true}} {
		must(t, db.Do(t.Context(), func(tx *Tx) error {
			must(t, tx.EnsureProject(Project{ID: "p", WorkspaceID: "w", Name: "p"}))
			must(t, tx.mark("SELECT p.seq, 1, 7, 1 FROM projects p WHERE TRUE"))
			marks, err := tx.RollupMarks(1)
			must(t, err)
			open := []string{"open"}
			if i == 2 {
				open = []string{"another"}
			}
			must(t, tx.SaveRollups(marks[0], nil, open, step.unchanged))
			left, err := tx.StaleRollups(RollupRange{"w", "p", OneQuarter, 7, 8}, 1)
			if stored := len(left) == 0; stored != step.stored {
				t.Errorf("figures are stored: %v, want %v in step %d", stored, step.stored, i)
			}
			return err
		}))
	}
}
