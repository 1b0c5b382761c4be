package rest

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// sharedTime is how long it may take to look for faults, or to log a request, in shared data. Neither ends when a client leaves.
const sharedTime = 5 * time.Second

// hit is Take for a request, outside of a transaction. Nearly always, no fault applies, and nothing is written.
func (q *Faults) hit(ctx context.Context, concerned func(Fault) bool) (f Fault, hit bool, err error) {
	if q.Shared == nil {
		return q.Take(nil, concerned)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sharedTime)
	defer cancel()
	applies := false
	err = q.Shared.Read(ctx, func(tx *store.Tx) error {
		armed, err := sharedFaults(tx)
		applies = slices.ContainsFunc(armed, concerned)
		return err
	})
	if err != nil || !applies {
		return f, false, err
	}
	err = q.Shared.Do(ctx, func(tx *store.Tx) error {
		f, hit, err = takeShared(tx, concerned)
		return err
	})
	return f, hit, err
}

// sharedFaults reads the faults that all servers have in common.
func sharedFaults(tx *store.Tx) ([]Fault, error) {
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

func (f Fault) row() (store.ArmedFault, error) {
	text, err := json.Marshal(f)
	return store.ArmedFault{Seq: f.seq, WorkspaceID: f.WorkspaceID, Fault: string(text)}, err
}

func takeShared(tx *store.Tx, concerned func(Fault) bool) (Fault, bool, error) {
	armed, err := sharedFaults(tx)
	if err != nil {
		return Fault{}, false, err
	}
	hit, is, changed := take(armed, concerned)
	for _, f := range changed {
		row, err := f.row()
		switch {
		case err == nil && f.Times == 0:
			err = tx.DeleteArmedFault(f.seq)
		case err == nil:
			err = tx.UpdateArmedFault(row)
		}
		if err != nil {
			return Fault{}, false, err
		}
	}
	return hit, is, nil
}

func armShared(tx *store.Tx, f Fault) error {
	armed, err := tx.ArmedFaults()
	if err == nil {
		err = checkNumber(len(armed))
	}
	if err != nil {
		return err
	}
	row, err := f.row()
	if err != nil {
		return err
	}
	return tx.InsertArmedFault(row)
}

func clearShared(tx *store.Tx, workspaceID string) error {
	armed, err := sharedFaults(tx)
	for _, f := range armed {
		if err == nil && f.Concerns(workspaceID) {
			err = tx.DeleteArmedFault(f.seq)
		}
	}
	return err
}
