package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// sharedTime is how long it may take to look for faults, or to log a request, in shared data. Neither ends when a client leaves.
const sharedTime = 5 * time.Second

// Faults holds the armed faults, in the order in which they were armed.
type Faults struct {
	// Shared has them if several servers share the data; nil if they are in memory. Methods with a transaction use it only then.
	Shared *store.Store

	mu    sync.Mutex
	armed []Fault
	last  int64
}

// lock locks faults in memory. Shared ones are locked by their transaction, which may not wait for those of other requests.
func (q *Faults) lock() (unlock func()) {
	if q.Shared != nil {
		return func() {}
	}
	q.mu.Lock()
	return q.mu.Unlock
}

// Arm adds a fault.
func (q *Faults) Arm(tx *store.Tx, f Fault) error {
	f, err := f.checked()
	if err != nil {
		return fmt.Errorf("fault: %w", err)
	}
	defer q.lock()()
	armed, err := q.all(tx)
	if err != nil {
		return err
	}
	if len(armed) >= limits.Faults { // Each request checks all of them.
		return fmt.Errorf("%d faults are armed, which is the limit: delete them first", limits.Faults)
	}
	if q.Shared == nil {
		q.last++
		f.seq = q.last
		q.armed = append(q.armed, f)
		return nil
	}
	row, err := f.row()
	if err != nil {
		return err
	}
	return tx.InsertArmedFault(row)
}

// List returns the faults armed for a workspace.
func (q *Faults) List(tx *store.Tx, workspaceID string) ([]Fault, error) {
	defer q.lock()()
	armed, err := q.all(tx)
	return slices.DeleteFunc(armed, func(f Fault) bool { return !f.Concerns(workspaceID) }), err
}

// Clear disarms the faults of a workspace.
func (q *Faults) Clear(tx *store.Tx, workspaceID string) error {
	defer q.lock()()
	armed, err := q.all(tx)
	for _, f := range armed {
		if err == nil && f.Concerns(workspaceID) {
			f.Times = 0
			err = q.update(tx, f)
		}
	}
	return err
}

// Take uses up one hit of the first armed fault that applies.
func (q *Faults) Take(tx *store.Tx, concerned func(Fault) bool) (hit Fault, is bool, err error) {
	defer q.lock()()
	armed, err := q.all(tx)
	for _, f := range armed {
		if err != nil || !concerned(f) {
			continue
		}
		hit, is = f, f.Skip == 0
		if is {
			f.Times--
		} else {
			f.Skip--
		}
		if err = q.update(tx, f); is {
			return hit, true, err
		}
	}
	return Fault{}, false, err
}

// hit is Take for a request, outside of a transaction. Nearly always, no fault applies, and nothing is written.
func (q *Faults) hit(ctx context.Context, concerned func(Fault) bool) (f Fault, hit bool, err error) {
	if q.Shared == nil {
		return q.Take(nil, concerned)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sharedTime)
	defer cancel()
	applies := false
	err = q.Shared.Read(ctx, func(tx *store.Tx) error {
		armed, err := q.all(tx)
		applies = slices.ContainsFunc(armed, concerned)
		return err
	})
	if err != nil || !applies {
		return f, false, err
	}
	err = q.Shared.Do(ctx, func(tx *store.Tx) error {
		f, hit, err = q.Take(tx, concerned)
		return err
	})
	return f, hit, err
}

// all returns a copy of the armed faults.
func (q *Faults) all(tx *store.Tx) ([]Fault, error) {
	if q.Shared == nil {
		return slices.Clone(q.armed), nil
	}
	rows, err := tx.ArmedFaults()
	if err != nil {
		return nil, err
	}
	armed := make([]Fault, len(rows))
	for i, row := range rows {
		var f Fault
		if err := json.Unmarshal([]byte(row.Fault), &f); err != nil {
			return nil, err
		}
		if armed[i], err = f.checked(); err != nil {
			return nil, err
		}
		armed[i].WorkspaceID, armed[i].seq = row.WorkspaceID, row.Seq
	}
	return armed, nil
}

// update stores what is left of a fault. One without hits is over.
func (q *Faults) update(tx *store.Tx, f Fault) error {
	at := slices.IndexFunc(q.armed, func(armed Fault) bool { return armed.seq == f.seq })
	switch {
	case q.Shared == nil && f.Times == 0:
		q.armed = slices.Delete(q.armed, at, at+1)
		return nil
	case q.Shared == nil:
		q.armed[at] = f
		return nil
	case f.Times == 0:
		return tx.DeleteArmedFault(f.seq)
	}
	row, err := f.row()
	if err != nil {
		return err
	}
	return tx.UpdateArmedFault(row)
}

func (f Fault) row() (store.ArmedFault, error) {
	text, err := json.Marshal(f)
	return store.ArmedFault{Seq: f.seq, WorkspaceID: f.WorkspaceID, Fault: string(text)}, err
}
