package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// run returns a root run in project p1 that began n seconds after at.
func run(id string, n int) store.Run {
	return store.Run{
		WorkspaceID: workspace, ID: id, ProjectID: "p1", TraceID: id, DottedOrder: new("d" + id), Name: "name of " + id,
		RunType: "llm", Status: "success", StartTime: at.Add(time.Duration(n) * time.Second), Figures: "{}", ReceivedAt: at,
	}
}

// withProjects returns a store with two projects.
func withProjects(t *testing.T) *store.Store {
	t.Helper()
	s := open(t, "")
	do(t, s, func(tx *store.Tx) error {
		return errors.Join(
			tx.EnsureProject(store.Project{ID: "p1", WorkspaceID: workspace, Name: "one", StartTime: at}),
			tx.EnsureProject(store.Project{ID: "p2", WorkspaceID: workspace, Name: "two", StartTime: at}))
	})
	return s
}

func save(t *testing.T, s *store.Store, runs ...store.Run) {
	t.Helper()
	do(t, s, func(tx *store.Tx) error {
		for _, r := range runs {
			if err := tx.SaveRun(r, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestRuns(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	child, failed, elsewhere, threaded := run("child", 2), run("failed", 3), run("elsewhere", 4), run("threaded", 5)
	child.ParentRunID, child.TraceID, child.RunType = new("root"), "root", "tool"
	failed.Error = new("boom")
	elsewhere.ProjectID = "p2"
	threaded.ThreadID = new("t")
	save(t, s, run("root", 1), child, failed, elsewhere, threaded)
	for name, tc := range map[string]struct {
		filter store.RunFilter
		want   []string // Newest first.
	}{
		"all":            {store.RunFilter{}, []string{"threaded", "elsewhere", "failed", "child", "root"}},
		"a project":      {store.RunFilter{ProjectIDs: []string{"p2"}}, []string{"elsewhere"}},
		"the newest two": {store.RunFilter{ProjectIDs: []string{"p1"}, Newest: 2}, []string{"threaded", "failed"}},
		"of the newest":  {store.RunFilter{ProjectIDs: []string{"p1"}, Newest: 2, RunType: "tool"}, nil},
		"more than all":  {store.RunFilter{ProjectIDs: []string{"p2"}, Newest: 9}, []string{"elsewhere"}},
		"no project":     {store.RunFilter{ProjectIDs: []string{}}, nil},
		"ids":            {store.RunFilter{IDs: []string{"root", "failed", "none"}}, []string{"failed", "root"}},
		"a trace":        {store.RunFilter{TraceID: "root"}, []string{"child", "root"}},
		"a parent":       {store.RunFilter{ParentRunID: "root"}, []string{"child"}},
		"a type":         {store.RunFilter{RunType: "tool"}, []string{"child"}},
		"roots":          {store.RunFilter{Root: new(true), ProjectIDs: []string{"p1"}}, []string{"threaded", "failed", "root"}},
		"children":       {store.RunFilter{Root: new(false)}, []string{"child"}},
		"failed":         {store.RunFilter{Failed: new(true)}, []string{"failed"}},
		"not failed":     {store.RunFilter{Failed: new(false), RunType: "llm"}, []string{"threaded", "elsewhere", "root"}},
		"a window":       {store.RunFilter{From: new(at.Add(2 * time.Second)), To: new(at.Add(4 * time.Second))}, []string{"failed", "child"}},
		"a condition":    {store.RunFilter{Where: matching(t, `or(eq(thread_id, "t"), eq(id, "nobody"))`), RunType: "llm"}, []string{"threaded"}},
		"another space":  {store.RunFilter{WorkspaceID: "another"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.filter.WorkspaceID == "" {
				tc.filter.WorkspaceID = workspace
			}
			reversed := slices.Clone(tc.want)
			slices.Reverse(reversed)
			for ascending, want := range map[bool][]string{false: tc.want, true: reversed} {
				devservertest.Same(t, fmt.Sprintf("ascending: %v", ascending), want, pageThrough(t, s, tc.filter, ascending), cmpopts.EquateEmpty())
			}
		})
	}
}

// pageThrough lists runs in pages of two.
func pageThrough(t *testing.T, s *store.Store, f store.RunFilter, ascending bool) []string {
	t.Helper()
	var ids []string
	do(t, s, func(tx *store.Tx) error {
		var after *store.RunCursor
		for {
			runs, err := tx.Runs(f, ascending, after, 2)
			if err != nil || len(runs) == 0 {
				return err
			}
			for _, r := range runs {
				ids = append(ids, r.ID)
			}
			last := runs[len(runs)-1]
			after = &store.RunCursor{StartTime: last.StartTime, Seq: last.Seq}
		}
	})
	return ids
}

// attach stores content as an attachment, of a run unless that is empty.
func attach(t *testing.T, s *store.Store, id, runID, content string, created time.Time) {
	t.Helper()
	do(t, s, func(tx *store.Tx) error {
		seq, err := tx.BeginAttachment(store.Attachment{ID: id, WorkspaceID: workspace, CreatedAt: created})
		if err != nil {
			return err
		}
		size, err := store.Pieces(strings.NewReader(content), func(number int, piece store.Piece) error {
			return tx.AppendAttachment(seq, number, piece)
		})
		if err != nil || runID == "" {
			return err
		}
		return tx.GiveAttachment(id, runID, "photo", "image/png", size)
	})
}

func TestDropAttachments(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	attach(t, s, "kept", "r1", "x", at)
	attach(t, s, "old", "", "x", at)
	attach(t, s, "new", "", "x", at.Add(time.Hour))
	attach(t, s, "large", "", "x", at)
	do(t, s, func(tx *store.Tx) error {
		for number := range 150 {
			if _, err := store.Pieces(strings.NewReader("y"), func(_ int, piece store.Piece) error {
				return tx.AppendAttachment(4, number+1, piece)
			}); err != nil {
				return err
			}
		}
		return nil
	})
	var ids []string
	do(t, s, func(tx *store.Tx) (err error) {
		ids, err = tx.AbandonedAttachments(at.Add(time.Minute))
		return err
	})
	devservertest.Same(t, "abandoned", []string{"old", "large"}, ids)
	ids = append(ids, "kept", "none")
	transactions := 0
	for ; len(ids) > 0; transactions++ {
		do(t, s, func(tx *store.Tx) (err error) {
			ids, err = tx.DropAttachments(ids)
			return err
		})
	}
	if transactions != 3 { // One and 151 pieces, 64 at a time.
		t.Errorf("deleted in %d transactions, want 3", transactions)
	}
	do(t, s, func(tx *store.Tx) error {
		for id, there := range map[string]bool{"kept": true, "old": false, "large": false, "new": true} {
			err := tx.GiveAttachment(id, "r2", id, "", 0)
			if errors.Is(err, store.ErrNotFound) == there {
				t.Errorf("attachment %s: error = %v, want it present: %v", id, err, there)
			}
		}
		return nil
	})
}

var errBroken = errors.New("connection closed")

func TestPiecesPassesErrorsOn(t *testing.T) {
	t.Parallel()
	_, err := store.Pieces(iotest.ErrReader(errBroken), func(int, store.Piece) error { return nil })
	if !errors.Is(err, errBroken) {
		t.Errorf("error = %v, want errBroken", err)
	}
	_, err = store.Pieces(strings.NewReader("x"), func(int, store.Piece) error { return errBroken })
	if !errors.Is(err, errBroken) {
		t.Errorf("error = %v, want errBroken", err)
	}
}
