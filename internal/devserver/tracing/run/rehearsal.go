package run

import (
	"context"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// rehearsal stores nothing, and reads what it would have stored. It is no transaction: each read sees the database as it is then. What
// isn't stored or read in a rehearsal has no method here.
//
// A thorough rehearsal reads all that the transaction will read. That of a request with one part reads only the runs that are patched at
// first, because the others are nearly always new.
type rehearsal struct {
	Writer

	ctx      context.Context
	store    store.Store
	thorough bool
	sought   map[string]bool // The runs that were looked for; those that exist are loaded, and those that others wait for are awaited.
	loaded   map[string]store.StoredRun
	awaited  map[string]bool
	projects map[string]error // By ID, whether they exist.
	saved    map[string]store.StoredRun
	snapshot int64
}

// load reads runs that will be needed.
func (r *rehearsal) load(workspaceID string, ids []string) error {
	r.sought = map[string]bool{}
	if len(ids) == 0 {
		return nil
	}
	for _, id := range ids {
		r.sought[id] = true
	}
	return r.store.ReadTraced(r.ctx, func(tx *store.Tx) (err error) {
		if r.loaded, err = tx.StoredRuns(workspaceID, ids); err == nil && r.thorough {
			r.awaited, err = tx.Awaited(workspaceID, ids)
		}
		return err
	})
}

// look reads in a thorough rehearsal; otherwise there is nothing.
func (r *rehearsal) look(read func(tx *store.Tx) error) error {
	if !r.thorough {
		return nil
	}
	return r.store.ReadTraced(r.ctx, read)
}

// StoredRun implements Writer.
func (r *rehearsal) StoredRun(workspaceID, id string) (store.Run, store.RunBody, error) {
	for _, known := range []map[string]store.StoredRun{r.saved, r.loaded} {
		if run, is := known[id]; is {
			return run.Run, run.Body, nil
		}
	}
	var run store.StoredRun
	err := store.ErrNotFound
	if r.sought[id] {
		return run.Run, run.Body, err
	}
	if unread := r.look(func(tx *store.Tx) error {
		run.Run, run.Body, err = tx.StoredRun(workspaceID, id)
		return nil
	}); unread != nil {
		return run.Run, run.Body, unread
	}
	return run.Run, run.Body, err
}

// Project implements Writer. Nobody needs more than the error.
func (r *rehearsal) Project(workspaceID, id string) (store.Project, error) {
	known, read := r.projects[id]
	if read {
		return store.Project{}, known
	}
	if err := r.look(func(tx *store.Tx) error {
		_, known = tx.Project(workspaceID, id)
		return nil
	}); err != nil {
		return store.Project{}, err
	}
	r.projects[id] = known
	return store.Project{}, known
}

// Run implements Writer.
func (r *rehearsal) Run(workspaceID, id string) (store.Run, error) {
	row, _, err := r.StoredRun(workspaceID, id)
	return row, err
}

// SaveRun implements Writer. It fails when the client leaves.
func (r *rehearsal) SaveRun(row store.Run, body store.RunBody, _ []store.Label) error {
	r.saved[row.ID] = store.StoredRun{Run: row, Body: body}
	return r.ctx.Err()
}

// Orphans implements Writer.
func (r *rehearsal) Orphans(workspaceID, parentID string, after int64, limit int) (rows []store.Run, err error) {
	if !r.sought[parentID] || r.awaited[parentID] {
		err = r.look(func(tx *store.Tx) (err error) {
			rows, err = tx.Orphans(workspaceID, parentID, after, limit)
			return err
		})
	}
	rows = slices.DeleteFunc(rows, func(row store.Run) bool {
		_, saved := r.saved[row.ID]
		return saved
	})
	for _, run := range r.saved {
		if run.DottedOrder == nil && run.ParentRunID != nil && *run.ParentRunID == parentID {
			rows = append(rows, run.Run)
		}
	}
	return rows, err
}

// Labelled implements Writer.
func (r *rehearsal) Labelled(workspaceID string, label, other store.Label, after int64, limit int) (rows []store.Run, err error) {
	err = r.look(func(tx *store.Tx) (err error) {
		rows, err = tx.Labelled(workspaceID, label, other, after, limit)
		return err
	})
	return rows, err
}

// TraceDepth implements Writer.
func (r *rehearsal) TraceDepth(workspaceID, rootID string) (depth int, err error) {
	err = r.look(func(tx *store.Tx) (err error) {
		depth, err = tx.TraceDepth(workspaceID, rootID)
		return err
	})
	return depth, err
}

// ModelPrices implements Writer.
func (r *rehearsal) ModelPrices(workspaceID string) (all []store.ModelPrice, err error) {
	err = r.store.ReadTraced(r.ctx, func(tx *store.Tx) (err error) {
		r.snapshot = tx.Snapshot()
		all, err = tx.ModelPrices(workspaceID)
		return err
	})
	return all, err
}

// Snapshot implements Writer.
func (r *rehearsal) Snapshot() int64 { return r.snapshot }

// Priced implements Writer.
func (r *rehearsal) Priced() int64 { return r.store.Priced() }

// MoveTrace implements Writer.
func (r *rehearsal) MoveTrace(store.Run, store.Run) (bool, error) { return false, nil }

// PlaceLater implements Writer.
func (r *rehearsal) PlaceLater(store.Unplaced) error { return nil }

// Placed implements Writer.
func (r *rehearsal) Placed(store.Unplaced, int64, bool) error { return nil }

// GiveAttachment implements Writer.
func (r *rehearsal) GiveAttachment(string, string, string, string, int64) error { return nil }
