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
func (l *logging) room() int { return max(0, placedAtOnce-l.placed) }

// canHaveChildren reports whether a run has a place, and is not at the maximum depth of a trace. Children of a run at that
// depth continue to wait.
func canHaveChildren(row store.Run) bool {
	return row.DottedOrder != nil && strings.Count(*row.DottedOrder, ".")+1 < limits.TraceDepth
}

// placeWaiting places the runs that arrived before their parent, and then those below them, as many as the transaction has room for.
func (l *logging) placeWaiting(parentID string) error {
	for above := []string{parentID}; len(above) > 0; above = above[1:] {
		orphans, err := l.tx.Orphans(l.workspaceID, above[0], 0, l.room()+1)
		if err != nil {
			return err
		}
		for _, orphan := range orphans {
			if l.room() == 0 {
				if err := l.placeLater(store.Unplaced{RunID: above[0], Kind: store.OfParent}); err != nil {
					return err
				}
				break
			}
			row, err := l.placeOrphan(orphan.ID)
			if err != nil {
				return err
			}
			if canHaveChildren(row) {
				above = append(above, orphan.ID)
			}
		}
	}
	return nil
}

// placeOrphan places a run whose parent has a place now.
func (l *logging) placeOrphan(id string) (store.Run, error) {
	known, err := l.known(id)
	if err != nil {
		return store.Run{}, err
	}
	l.count(known)
	return l.save(id, known, nil)
}

// count takes the room of a waiting run.
func (l *logging) count(known knownRun) {
	l.placed++
	if known.body != nil {
		l.placed += (len(known.body.stored.Post) + len(known.body.stored.Patch)) / placedBytes
	}
}

// adoptWaiting moves roots that have waited for a span below its run, as many as the transaction has room for.
func (l *logging) adoptWaiting(runID string, of spanKey) error {
	waiting, err := of.roots(l.tx, l.workspaceID, 0, l.room()+1)
	if err != nil {
		return err
	}
	through := int64(0)
	for _, root := range waiting {
		if l.room() == 0 {
			return l.placeLater(store.Unplaced{RunID: runID, Kind: store.OfParentSpan, Through: through})
		}
		if err := l.adopt(root, runID); err != nil {
			return err
		}
		through = root.Seq
	}
	return nil
}

// placeLater leaves runs to other transactions.
func (l *logging) placeLater(u store.Unplaced) error {
	u.WorkspaceID, l.later = l.workspaceID, true
	return l.tx.PlaceLater(u)
}

// Settle places some of the runs of a workspace that transactions have left to others, or of any workspace if the ID is empty. It returns
// whether there may be more.
func (s *Service) Settle(ctx context.Context, workspaceID string) (more bool, err error) {
	var next store.Unplaced
	var waiting []store.Run
	err = s.store.ReadTraced(ctx, func(tx *store.Tx) (err error) {
		if next, err = tx.NextUnplaced(workspaceID); err == nil {
			waiting, err = waitingBelow(tx, next)
		}
		return err
	})
	if store.Missing(&err) || err != nil {
		return false, err
	}
	if next.Kind == store.OfFormerTrace {
		return true, s.store.DoGrouped(ctx, store.Expected{WorkspaceID: next.WorkspaceID}, func(tx *store.Tx) error { return tx.MoveMore(next) })
	}
	ids := []string{next.RunID}
	for _, run := range waiting {
		ids = append(ids, run.ID)
	}
	_, err = s.transactOnce(ctx, next.WorkspaceID, ids, []part{{
		store.Expected{WorkspaceID: next.WorkspaceID, RunIDs: ids}, func(l *logging) error { return l.settle(next, waiting) },
	}})
	return true, err
}

// waitingBelow returns the next runs that have to be placed.
func waitingBelow(tx *store.Tx, u store.Unplaced) ([]store.Run, error) {
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
		return spanOf(said).roots(tx, u.WorkspaceID, u.Through, placedAtOnce)
	default:
		return nil, nil
	}
}

// settle places runs that have waited for another one.
func (l *logging) settle(next store.Unplaced, waiting []store.Run) error {
	through, all := next.Through, len(waiting) < placedAtOnce
	for _, run := range waiting {
		if l.room() == 0 {
			all = false
			break
		}
		err := l.settleOne(next, run.ID)
		if _, refused := errors.AsType[*ingest.Error](err); !refused && err != nil { // A run that can't be placed goes on waiting.
			return err
		}
		through = run.Seq
	}
	return l.tx.Placed(next, through, all)
}

// settleOne places a run, unless another request has.
func (l *logging) settleOne(next store.Unplaced, id string) error {
	row, err := l.tx.Run(l.workspaceID, id)
	if store.Missing(&err) || err != nil {
		return err
	}
	if next.Kind == store.OfParentSpan {
		return l.adopt(row, next.RunID)
	}
	if row.DottedOrder != nil || row.ParentRunID == nil || *row.ParentRunID != next.RunID {
		return nil
	}
	if row, err = l.placeOrphan(id); err != nil || !canHaveChildren(row) {
		return err
	}
	return l.placeWaiting(id)
}
