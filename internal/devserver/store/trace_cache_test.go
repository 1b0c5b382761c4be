package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// kept returns what is kept of a trace.
func kept(t *testing.T, s *store.Store, traceID string) (value any) {
	t.Helper()
	read(t, s, func(tx *store.Tx) (err error) {
		value, err = tx.CachedTrace(workspace, traceID)
		return err
	})
	return value
}

func keep(t *testing.T, s *store.Store, traceID string, value any) {
	t.Helper()
	read(t, s, func(tx *store.Tx) error { return tx.CacheTrace(workspace, traceID, value, 1) })
}

// cachedTrace returns a store with a trace of two runs in the first project, whose root can be changed.
func cachedTrace(t *testing.T) (s *store.Store, root store.Run) {
	t.Helper()
	s = withProjects(t)
	root = run("kept", 0)
	child := run("child", 1)
	child.TraceID, child.ParentRunID, child.DottedOrder = root.ID, &root.ID, new(*root.DottedOrder+".child")
	save(t, s, root, child)
	read(t, s, func(tx *store.Tx) (err error) { root, err = tx.Run(workspace, "kept"); return err })
	return s, root
}

// TestKeep checks that what is kept of a trace is there until the trace changes, whatever else does.
func TestKeep(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(tx *store.Tx, root store.Run) error
		stays  bool
	}{
		"nothing": {func(*store.Tx, store.Run) error { return nil }, true},
		"a run of another trace": {func(tx *store.Tx, _ store.Run) error {
			return tx.SaveRun(run("other", 2), store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil)
		}, true},
		"a run of it": {func(tx *store.Tx, root store.Run) error {
			root.TotalTokens++
			return tx.SaveRun(root, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil)
		}, false},
		"one more run": {func(tx *store.Tx, root store.Run) error {
			more := run("more", 3)
			more.TraceID, more.ParentRunID, more.DottedOrder = root.ID, &root.ID, new(*root.DottedOrder+".more")
			return tx.SaveRun(more, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil)
		}, false},
		"it becomes a part of another": {func(tx *store.Tx, root store.Run) error {
			moved := root
			moved.TraceID, moved.ParentRunID, moved.DottedOrder = "top", new("top"), new("top."+*root.DottedOrder)
			_, err := tx.MoveTrace(root, moved)
			return errors.Join(err, tx.SaveRun(moved, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil))
		}, false},
		"its runs are deleted": {func(tx *store.Tx, _ store.Run) error { return tx.DeleteProject(workspace, "p1") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, root := cachedTrace(t)
			keep(t, s, root.ID, "sums")
			if got := kept(t, s, root.ID); got != "sums" {
				t.Fatalf("kept before: %v, want what was kept", got)
			}
			do(t, s, func(tx *store.Tx) error { return tc.change(tx, root) })
			if got := kept(t, s, root.ID); (got == "sums") != tc.stays {
				t.Errorf("kept afterwards: %v, want it to stay: %v", got, tc.stays)
			}
		})
	}
}

// TestKeepMarkedProject checks that nothing is kept of runs that nobody sees since their project was deleted, although they are stored.
func TestKeepMarkedProject(t *testing.T) {
	t.Parallel()
	s, root := cachedTrace(t)
	var others []store.Run
	for n := range store.SliceRows {
		others = append(others, run(fmt.Sprint("other ", n), -n))
	}
	save(t, s, others...)
	keep(t, s, root.ID, "sums")
	do(t, s, func(tx *store.Tx) error { return tx.DeleteProject(workspace, "p1") })
	if got := kept(t, s, root.ID); got != nil {
		t.Errorf("kept after the deletion: %v, want nothing", got)
	}
}

// TestKeepOnSnapshot checks that a reader neither sees what was kept of a later state of a trace, nor keeps what is of an earlier one.
func TestKeepOnSnapshot(t *testing.T) {
	t.Parallel()
	s, root := cachedTrace(t)
	read(t, s, func(early *store.Tx) error {
		root.TotalTokens++
		do(t, s, func(tx *store.Tx) error {
			return tx.SaveRun(root, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil)
		})
		if err := early.CacheTrace(workspace, root.ID, "before", 1); err != nil {
			return err
		}
		if got := kept(t, s, root.ID); got != nil {
			t.Errorf("a later reader gets %v, want nothing", got)
		}
		keep(t, s, root.ID, "after")
		got, err := early.CachedTrace(workspace, root.ID)
		if got != nil {
			t.Errorf("an earlier reader gets %v, want nothing", got)
		}
		return err
	})
	if got := kept(t, s, root.ID); got != "after" {
		t.Errorf("kept: %v, want what the later reader kept", got)
	}
}

// TestKeepLittle checks that what takes more than is kept in total replaces nothing forever.
func TestKeepLittle(t *testing.T) {
	t.Parallel()
	s, root := cachedTrace(t)
	keep(t, s, root.ID, "sums")
	read(t, s, func(tx *store.Tx) error { return tx.CacheTrace(workspace, "large", "large", store.MaxCachedBytes+1) })
	for _, trace := range []string{root.ID, "large"} {
		if got := kept(t, s, trace); got != nil {
			t.Errorf("%s: kept %v, want nothing: there is no room", trace, got)
		}
	}
	keep(t, s, root.ID, "again")
	if got := kept(t, s, root.ID); got != "again" {
		t.Errorf("kept: %v, want what was kept last", got)
	}
}

// TestKeepManyChanges checks that a trace is kept again after more traces have changed than there are times of changes, so that others
// have changed its time.
func TestKeepManyChanges(t *testing.T) {
	t.Parallel()
	s, root := cachedTrace(t)
	for times := range 2 {
		keep(t, s, root.ID, "sums")
		do(t, s, func(tx *store.Tx) error {
			for n := range 2 * store.ChangeTimes {
				one := run(fmt.Sprint("other ", times, " ", n), n)
				if err := tx.SaveRun(one, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil); err != nil {
					return err
				}
			}
			return nil
		})
		keep(t, s, root.ID, "again")
		if got := kept(t, s, root.ID); got != "again" {
			t.Errorf("kept: %v, want what was kept last", got)
		}
	}
}
