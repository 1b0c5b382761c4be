package run

import (
	"context"
	"errors"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// placedAtOnce is how many waiting runs a transaction places, because other writers wait for it. A long one counts as several, one for each
// placedBytes.
const (
	placedAtOnce = 50
	placedBytes  = 64 << 10
)

// room is how many waiting runs may still be placed.
func (d *draft) room() int { return max(0, placedAtOnce-d.placed) }

// canHaveChildren reports whether a run has a place, and is not at the maximum depth of a trace. Children of a run at that
// depth continue to wait.
func canHaveChildren(row store.Run) bool {
	return row.DottedOrder != nil && strings.Count(*row.DottedOrder, ".")+1 < limits.TraceDepth
}

// placeWaiting places the runs that arrived before their parent, and then those below them, as many as the transaction has room for.
func (d *draft) placeWaiting(parentID string) error {
	for above := []string{parentID}; len(above) > 0; above = above[1:] {
		orphans, more, err := d.orphans(above[0])
		if err != nil {
			return err
		}
		for _, id := range orphans {
			if d.room() == 0 {
				more = true
				break
			}
			row, err := d.placeOrphan(id)
			if err != nil {
				return err
			}
			if canHaveChildren(row) {
				above = append(above, id)
			}
		}
		if more {
			d.placeLater(store.DeferredPlacement{RunID: above[0], Kind: store.OfParent})
		}
	}
	return nil
}

// placeOrphan places a run whose parent has a place now.
func (d *draft) placeOrphan(id string) (store.Run, error) {
	known, err := d.known(id)
	if err != nil {
		return store.Run{}, err
	}
	d.count(known)
	return d.save(id, known, nil)
}

// count takes the room of a waiting run.
func (d *draft) count(known knownRun) {
	d.placed += 1 + known.bytes/placedBytes
}

// adoptWaiting moves roots that have waited for a span below its run, as many as the transaction has room for.
func (d *draft) adoptWaiting(runID string, of spanKey) error {
	waiting, err := d.withLabels(of.children(), d.room()+1)
	if err != nil {
		return err
	}
	through := int64(0)
	for _, root := range waiting {
		if d.room() == 0 {
			d.placeLater(store.DeferredPlacement{RunID: runID, Kind: store.OfParentSpan, Through: through})
			break
		}
		if err := d.adopt(root, runID); err != nil {
			return err
		}
		through = root.Seq
	}
	return nil
}

// placeLater leaves runs to other transactions.
func (d *draft) placeLater(u store.DeferredPlacement) {
	s := d.step
	u.WorkspaceID = d.workspaceID
	d.rest = append(d.rest, func(tx *store.Tx) error {
		s.later = true
		return tx.PlaceLater(u)
	})
}

// Settle places some of the runs of a workspace that transactions have left to others, or of any workspace if the ID is empty. It returns
// whether there may be more.
func (s *Service) Settle(ctx context.Context, workspaceID string) (more bool, err error) {
	var next store.DeferredPlacement
	var waiting []store.Run
	err = s.store.ReadTraced(ctx, func(tx *store.Tx) (err error) {
		if next, err = tx.NextDeferred(workspaceID); err == nil {
			waiting, err = waitingBelow(tx, next)
		}
		return err
	})
	if store.Missing(&err) || err != nil {
		return false, err
	}
	if next.Kind == store.OfFormerTrace {
		return true, s.write(ctx, store.Expected{WorkspaceID: next.WorkspaceID}, func(tx *store.Tx) error { return tx.MoveMore(next) })
	}
	ids := []string{next.RunID}
	for _, run := range waiting {
		ids = append(ids, run.ID)
	}
	_, err = s.transactOnce(ctx, next.WorkspaceID, []part{{
		changed: ids, expected: store.Expected{WorkspaceID: next.WorkspaceID, RunIDs: ids}, work: func(d *draft) error { return d.settle(next, waiting) },
	}})
	return true, err
}

// waitingBelow returns the next runs that have to be placed.
func waitingBelow(tx *store.Tx, u store.DeferredPlacement) ([]store.Run, error) {
	switch u.Kind {
	case store.OfParent:
		return tx.Orphans(u.WorkspaceID, u.RunID, u.Through, placedAtOnce)
	case store.OfParentSpan:
		_, stored, err := tx.StoredRun(u.WorkspaceID, u.RunID)
		if store.Missing(&err) || err != nil {
			return nil, err
		}
		body, err := stored.Unpacked()
		if err != nil {
			return nil, err
		}
		said, err := readLayers(body)
		if err != nil {
			return nil, err
		}
		labels := spanOf(said).children()
		return tx.Labelled(u.WorkspaceID, labels.First, labels.Other, u.Through, placedAtOnce)
	default:
		return nil, nil
	}
}

// settle places runs that have waited for another one.
func (d *draft) settle(next store.DeferredPlacement, waiting []store.Run) error {
	through, all := next.Through, len(waiting) < placedAtOnce
	for _, run := range waiting {
		if d.room() == 0 {
			all = false
			break
		}
		err := d.settleOne(next, run.ID)
		if _, refused := errors.AsType[*ingest.Error](err); !refused && err != nil { // A run that can't be placed goes on waiting.
			return err
		}
		through = run.Seq
	}
	d.rest = append(d.rest, func(tx *store.Tx) error { return tx.Placed(next, through, all) })
	return nil
}

// settleOne places a run, unless another request has.
func (d *draft) settleOne(next store.DeferredPlacement, id string) error {
	row, err := d.row(id)
	if err != nil || row.ID == "" {
		return err
	}
	if next.Kind == store.OfParentSpan {
		return d.adopt(row, next.RunID)
	}
	if row.DottedOrder != nil || row.ParentRunID == nil || *row.ParentRunID != next.RunID {
		return nil
	}
	if row, err = d.placeOrphan(id); err != nil || !canHaveChildren(row) {
		return err
	}
	return d.placeWaiting(id)
}
