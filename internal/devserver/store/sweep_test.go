package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// fillProject logs n runs into project p1, with a feedback and a share now and then; the last one has very many labels, much feedback, and a
// large attachment. The run "kept" is in project p2.
func fillProject(t *testing.T, s *store.Store, n int) {
	t.Helper()
	do(t, s, func(tx *store.Tx) error {
		err := errors.Join(
			tx.EnsureProject(store.Project{ID: "p1", WorkspaceID: workspace, Name: "one", StartTime: at}),
			tx.EnsureProject(store.Project{ID: "p2", WorkspaceID: workspace, Name: "two", StartTime: at}))
		body := store.RunBody{Post: []byte(`{"inputs":{"q":"` + strings.Repeat("weather ", 100) + `"}}`), Patch: []byte("{}")}
		kept := run("kept", 0)
		kept.ProjectID = "p2"
		for i := range n {
			labels := []store.Label{{Value: "tag"}, {Kind: store.Metadata, Key: "user", Value: fmt.Sprint(i)}, {Kind: store.Metadata, Key: "env", Value: "prod"}}
			for k := range 10 {
				labels = append(labels, store.Label{Kind: store.Metadata, Key: fmt.Sprint("k", k), Value: "v"})
			}
			id := fmt.Sprint("r", i)
			if i == n-1 {
				for k := range 2 * store.SliceRows {
					labels = append(labels, store.Label{Kind: store.Metadata, Key: fmt.Sprint("key", k), Value: "v"})
					err = errors.Join(err, tx.SaveFeedback(store.Feedback{ID: fmt.Sprint("many", k), WorkspaceID: workspace, RunID: &id, Key: "k", Source: "api",
						Body: "{}", CreatedAt: at, ModifiedAt: at}))
				}
			}
			err = errors.Join(err, tx.SaveRun(run(id, i), body, labels))
			if i%10 == 0 {
				err = errors.Join(err,
					tx.SaveFeedback(store.Feedback{ID: "f" + id, WorkspaceID: workspace, RunID: &id, Key: "k", Source: "api", Body: "{}", CreatedAt: at, ModifiedAt: at}),
					tx.SaveRunShare(store.RunShare{Token: "t" + id, WorkspaceID: workspace, RunID: id}),
					tx.InsertFeedbackToken(store.FeedbackToken{Token: "t" + id, WorkspaceID: workspace, RunID: id, Key: "k", ExpiresAt: at}))
			}
		}
		return errors.Join(err, tx.SaveRun(kept, body, []store.Label{{Value: "tag"}}),
			tx.SaveFeedback(store.Feedback{ID: "fp", WorkspaceID: workspace, ProjectID: new("p1"), Key: "k", Source: "api", Body: "{}", CreatedAt: at, ModifiedAt: at}),
			tx.SaveFeedback(store.Feedback{ID: "fk", WorkspaceID: workspace, RunID: new("kept"), Key: "k", Source: "api", Body: "{}", CreatedAt: at, ModifiedAt: at}))
	})
	attach(t, s, "a1", fmt.Sprint("r", n-1), strings.Repeat("x", 3<<20), at)
	attach(t, s, "a2", "kept", "y", at)
}

// rows counts all rows of runs.
func rows(t *testing.T, s *store.Store) (n int64) {
	t.Helper()
	do(t, s, func(tx *store.Tx) (err error) { n, err = store.CountRows(tx); return err })
	return n
}

// shown returns what answers contain: of every kind of row, those that belong to runs or projects.
func shown(t *testing.T, s *store.Store) (found []string) {
	t.Helper()
	do(t, s, func(tx *store.Tx) error {
		add := func(kind string, err error) {
			if err == nil {
				found = append(found, kind)
			} else if !errors.Is(err, store.ErrNotFound) {
				t.Error(err)
			}
		}
		addAll := func(kind string, n int, err error) {
			if err != nil || n > 0 {
				found = append(found, fmt.Sprint(kind, " ", n, " ", err))
			}
		}
		for _, id := range []string{"p1", "p2"} {
			_, err := tx.Project(workspace, id)
			add("project "+id, err)
			runs, err := tx.Runs(store.RunFilter{WorkspaceID: workspace, ProjectIDs: []string{id}}, true, nil, 10_000)
			addAll("runs of "+id, len(runs), err)
			feedback, err := tx.ListFeedback(workspace, store.FeedbackFilter{ProjectIDs: []string{id}}, store.Page{Limit: 10_000})
			addAll("feedback of "+id, len(feedback), err)
		}
		for _, id := range []string{"r3", "kept"} {
			_, err := tx.Run(workspace, id)
			add("run "+id, err)
			body, err := tx.RunBody(workspace, id)
			addAll("body "+id, len(body.Post), err)
			runs, err := tx.TraceRuns(store.RunFilter{WorkspaceID: workspace, TraceID: id})
			addAll("trace "+id, len(runs), err)
			depth, err := tx.TraceDepth(workspace, id)
			addAll("depth of "+id, depth, err)
			root, err := tx.Runs(store.RunFilter{WorkspaceID: workspace, RootWhere: matching(t, `eq(name, "name of `+id+`")`)}, true, nil, 10_000)
			addAll("root "+id, len(root), err)
		}
		for _, filter := range []store.RunFilter{{}, {ProjectIDs: []string{"p1", "p2"}}, {IDs: []string{"r4", "kept"}}, {Where: matching(t, `has(tags, "tag")`)}} {
			filter.WorkspaceID = workspace
			runs, err := tx.Runs(filter, true, nil, 10_000)
			addAll("runs", len(runs), err)
		}
		for _, id := range []string{"fp", "fk", "fr0"} {
			_, err := tx.Feedback(workspace, id)
			add("feedback "+id, err)
		}
		for _, id := range []string{"a1", "a2"} {
			_, err := tx.Attachment(id)
			add("attachment "+id, err)
		}
		feedback, err := tx.ListFeedback(workspace, store.FeedbackFilter{}, store.Page{Limit: 100_000})
		addAll("feedback", len(feedback), err)
		return nil
	})
	return found
}

// TestSweep_unraced deletes a project with many rows: no answer contains any of them from the first moment, its name is free, every step deletes a
// bounded number of rows, others write in between, and it goes on after the process has ended.
func TestSweep_unraced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	s := open(t, path)
	fillProject(t, s, 1500)
	before := rows(t, s)
	do(t, s, func(tx *store.Tx) error { return tx.DeleteProject(workspace, "p1") })
	want := []string{
		"project p2", "runs of p2 1 <nil>", "feedback of p2 1 <nil>", "run kept", "body kept 819 <nil>", "trace kept 1 <nil>", "depth of kept 1 <nil>",
		"root kept 1 <nil>", "runs 1 <nil>", "runs 1 <nil>", "runs 1 <nil>", "runs 1 <nil>", "feedback fk", "attachment a2", "feedback 1 <nil>",
	}
	devservertest.Same(t, "answers after the deletion", want, shown(t, s))
	select {
	case <-s.Marked():
	default:
		t.Error("nothing is marked, want the rest of the project")
	}
	do(t, s, func(tx *store.Tx) error {
		again := run("r3", 0) // Hasn't been swept yet.
		again.ProjectID = "p3"
		return errors.Join(
			tx.EnsureProject(store.Project{ID: "p3", WorkspaceID: workspace, Name: "one", StartTime: at}),
			tx.SaveRun(again, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil))
	})
	steps := 0
	for more, last := true, rows(t, s); more; steps++ {
		if steps == 3 {
			devservertest.Must(t, s.Close())
			s = open(t, path)
		}
		var err error
		if more, err = s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := rows(t, s)
		if deleted := last - now; deleted > store.SliceRows {
			t.Errorf("step %d deleted %d rows, want at most %d", steps, deleted, store.SliceRows)
		}
		do(t, s, func(tx *store.Tx) error { return tx.SetRepoHead(workspace, "u", "main", fmt.Sprint(steps)) })
		last = now
	}
	if least := int(before / store.SliceRows); steps < least {
		t.Errorf("%d steps, want at least %d", steps, least)
	}
	// p2 and p3; the run, its body, its label, feedback and attachment; and the run that was logged again, with its body.
	if left := rows(t, s); left != 2+3+1+2+2 {
		t.Errorf("%d rows left, want 10", left)
	}
	do(t, s, func(tx *store.Tx) error {
		_, err := tx.Run(workspace, "r3")
		return err
	})
}

// TestDeleteSmallProject checks that a project with few runs is gone with its transaction, so that even its ID is free.
func TestDeleteSmallProject(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	save(t, s, run("r1", 0), run("r2", 0))
	do(t, s, func(tx *store.Tx) error {
		if err := tx.DeleteProject(workspace, "p1"); err != nil {
			return err
		}
		if n, err := store.CountRows(tx); n != 1 || err != nil {
			t.Errorf("%d rows left, %v; want only the other project", n, err)
		}
		return tx.EnsureProject(store.Project{ID: "p1", WorkspaceID: workspace, Name: "one", StartTime: at})
	})
	select {
	case <-s.Marked():
		t.Error("something is marked, want nothing left")
	default:
	}
}

// TestSweepOnAFullDisk_unraced checks that a deletion gives space back to writers that have none.
func TestSweepOnAFullDisk_unraced(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "plane.db"))
	fillProject(t, s, 600)
	do(t, s, func(tx *store.Tx) error { return store.LimitPages(tx, 1) }) // SQLite raises it to the current size.
	more := func(n int) error {
		return s.Do(t.Context(), func(tx *store.Tx) error {
			r := run(fmt.Sprint("more", n), n)
			r.ProjectID = "p2"
			return tx.SaveRun(r, store.RunBody{Post: []byte(`{"a":"` + strings.Repeat("é", n) + `"}`), Patch: []byte("{}")}, nil)
		})
	}
	full := 0
	for ; more(full) == nil; full++ {
	}
	if err := more(full); !errors.Is(err, store.ErrFull) {
		t.Fatalf("error = %v, want ErrFull", err)
	}
	do(t, s, func(tx *store.Tx) error { return tx.DeleteProject(workspace, "p1") })
	sweepAll(t, s)
	for n := range full {
		if err := more(full + n); err != nil {
			t.Fatalf("write %d after the deletion: %v", n, err)
		}
	}
}

// TestDeleteProjectsTogether_unraced deletes many projects in one transaction, which deletes only some of their runs.
func TestDeleteProjectsTogether_unraced(t *testing.T) {
	t.Parallel()
	s := open(t, store.Data(t))
	const projects, runs = 8, store.SliceRows / 2
	do(t, s, func(tx *store.Tx) error {
		for p := range projects {
			id := fmt.Sprint("p", p)
			if err := tx.EnsureProject(store.Project{ID: id, WorkspaceID: workspace, Name: id, StartTime: at}); err != nil {
				return err
			}
			for n := range runs {
				r := run(fmt.Sprint(id, "-", n), n)
				r.ProjectID = id
				if err := tx.SaveRun(r, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	before := rows(t, s)
	do(t, s, func(tx *store.Tx) error {
		for p := range projects {
			if err := tx.DeleteProject(workspace, fmt.Sprint("p", p)); err != nil {
				return err
			}
		}
		return nil
	})
	if deleted := before - rows(t, s); deleted == 0 || deleted > 2*store.SliceRows {
		t.Errorf("the transaction deleted %d of %d rows, want some, and at most %d", deleted, before, 2*store.SliceRows)
	}
	sweepAll(t, s)
	if left := rows(t, s); left != 0 {
		t.Errorf("%d rows are left after sweeping, want none", left)
	}
}
