package run

import (
	"context"
	"errors"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// mostRounds is how often the runs of a request are derived before its transaction. If others have changed the same runs each time, they
// are derived within it.
const mostRounds = 3

// errStale means that what a request was derived from has changed before its transaction.
var errStale = errors.New("the runs have changed since they were derived")

// part is what one transaction stores of a request.
type part struct {
	// created are the IDs of runs that are nearly always new, and changed those of others.
	created, changed []string
	labels           []store.Labels // Of runs that it will look for.
	expected         store.Expected
	work             func(*draft) error
}

// transact stores what clients have logged. All of it is derived first, because all other writers wait for a transaction, and so that a
// request that is refused stores nothing. Then each part is stored in a transaction that compares what was read, and is derived again if that
// has changed. What work leaves for later is done before transact returns, in other transactions; if that fails, it is done in the background.
//
// Some parts are stored if the request is refused for a change that another one makes at the same time, or if it ends halfway, because its client
// leaves, the disk is full or the server is killed. When the client sends all of it again, that changes nothing about those.
func (s *Service) transact(ctx context.Context, workspaceID string, parts ...part) error {
	later, err := s.transactOnce(ctx, workspaceID, parts)
	for more := later; more && err == nil; {
		if more, err = s.Settle(ctx, workspaceID); err != nil {
			return nil //nolint:nilerr // What was logged is stored, and the rest is tried again in the background.
		}
	}
	return err
}

// transactOnce is transact without what work leaves for later.
func (s *Service) transactOnce(ctx context.Context, workspaceID string, parts []part) (later bool, _ error) {
	now := s.now().Truncate(time.Microsecond)
	for round := range mostRounds {
		steps, err := s.derive(ctx, workspaceID, now, parts, round == 0 && len(parts) == 1)
		if err != nil {
			return later, err
		}
		for i, step := range steps {
			if err = s.write(ctx, parts[i].expected, step.storeUnchanged); err != nil {
				parts = parts[i:]
				break
			}
			later = later || step.later
		}
		if !errors.Is(err, errStale) {
			return later, err
		}
	}
	for _, p := range parts {
		var last *step
		if err := s.write(ctx, p.expected, func(tx *store.Tx) error {
			d := s.newDraft(ctx, workspaceID, now, func(work func(*store.Tx) error) error { return work(tx) })
			if err := d.add(p); err != nil {
				return err
			}
			last = d.step
			return last.store(tx, last.before)
		}); err != nil {
			return later, err
		}
		later = later || last.later
	}
	return later, nil
}

// derive derives what the parts of a request store, one after the other. It may assume that runs are new, which the transaction finds out.
func (s *Service) derive(ctx context.Context, workspaceID string, now time.Time, parts []part, assume bool) (steps []*step, err error) {
	giveBack, err := s.derivations.Take(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	d := s.newDraft(ctx, workspaceID, now, func(work func(*store.Tx) error) error { return s.store.ReadTraced(ctx, work) })
	d.prices = s.Prices.Ready(s.store.Priced(), workspaceID)
	if err := d.load(parts, assume); err != nil {
		return nil, err
	}
	for _, p := range parts {
		if err := d.add(p); err != nil {
			return nil, err
		}
		steps = append(steps, d.step)
	}
	return steps, nil
}
