package store_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestMoveTrace checks that only a root's descendants are moved with it.
func TestMoveTrace(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	root, child, grandchild, other, elsewhere := run("moving", 0), run("child", 1), run("grandchild", 2), run("other", 3), run("elsewhere", 4)
	root.DottedOrder, other.DottedOrder = new("b"), new("bb")
	child.TraceID, child.ParentRunID, child.DottedOrder = "moving", new("moving"), new("b.c")
	grandchild.TraceID, grandchild.ParentRunID, grandchild.DottedOrder = "moving", new("child"), new("b.c.d")
	elsewhere.TraceID, elsewhere.ParentRunID, elsewhere.DottedOrder = "moving", new("moving"), new("b.c")
	elsewhere.WorkspaceID, elsewhere.ProjectID = "w2", "p2"
	save(t, s, root, child, grandchild, other, elsewhere)
	moved := root
	moved.TraceID, moved.DottedOrder = "top", new("a.b")
	do(t, s, func(tx *store.Tx) error {
		if depth, err := tx.TraceDepth(workspace, "moving"); depth != 3 || err != nil {
			t.Errorf("depth = %d, %v; want 3", depth, err)
		}
		if depth, err := tx.TraceDepth(workspace, "nobody"); depth != 0 || err != nil {
			t.Errorf("depth of an unknown trace = %d, %v; want 0", depth, err)
		}
		if later, err := tx.MoveTrace(root, moved); later || err != nil {
			t.Errorf("some are moved later: %v, %v; want none", later, err)
		}
		places := map[string]string{}
		for id, in := range map[string]string{"moving": workspace, "child": workspace, "grandchild": workspace, "other": workspace, "elsewhere": "w2"} {
			r, err := tx.Run(in, id)
			if err != nil {
				return err
			}
			places[id] = r.TraceID + " " + *r.DottedOrder
		}
		// The caller of MoveTrace saves the root itself.
		want := map[string]string{"moving": "moving b", "child": "top a.b.c", "grandchild": "top a.b.c.d", "other": "other bb", "elsewhere": "moving b.c"}
		devservertest.Same(t, "places", want, places)
		return nil
	})
}

// TestLabelled finds only runs in the workspace that have both labels.
func TestLabelled(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	one, other := store.Label{Kind: store.Metadata, Key: "span", Value: "1"}, store.Label{Kind: store.Metadata, Key: "trace", Value: "2"}
	rows := []store.Run{run("both", 0), run("one", 1), run("other", 2), run("tag", 3), run("elsewhere", 4)}
	rows[4].WorkspaceID = "w2"
	labels := [][]store.Label{{one, other}, {one}, {other}, {{Value: "1"}, other}, {one, other}}
	do(t, s, func(tx *store.Tx) error {
		for i, row := range rows {
			if err := tx.SaveRun(row, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, labels[i]); err != nil {
				return err
			}
		}
		found, err := tx.Labelled(workspace, one, other, 0, 10)
		if len(found) != 1 || found[0].ID != "both" {
			t.Errorf("found %v, want only the run both", found)
		}
		return err
	})
}
