package run

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// mostRounds is how often the runs of a request are derived before its transaction. If others have changed the same runs each time, they
// are derived within it.
const mostRounds = 3

// mostSpare is the total size in bytes of the bodies that a transaction may decode and derive for a request: doing that outside would take
// longer. Each counts as at least minSpare.
const (
	mostSpare = 256 << 10
	minSpare  = 4 << 10
)

// errStale says that what a request was derived from has changed before its transaction.
var errStale = errors.New("the runs have changed since they were derived")

// part is what one transaction stores of a request.
type part struct {
	expected store.Expected
	work     func(*logging) error
}

// joined is the work of several parts in one.
func joined(parts []part) part {
	var all part
	for _, p := range parts {
		all.expected.WorkspaceID = p.expected.WorkspaceID
		all.expected.RunIDs = append(all.expected.RunIDs, p.expected.RunIDs...)
	}
	all.work = func(l *logging) error {
		for _, p := range parts {
			if err := p.work(l); err != nil {
				return err
			}
		}
		return nil
	}
	return all
}

// transact stores what clients have logged, each part in a transaction. All other writers wait for one, so work runs twice: first in a
// rehearsal, which stores nothing and remembers whatever is expensive to compute, and then in the transaction, which computes only what has
// changed meanwhile. Patched are the IDs of runs that a rehearsal looks for at its beginning. What work leaves for later is done before
// transact returns, in other transactions; if that fails, it is done in the background.
//
// A request of which the rehearsal finds that it is refused stores nothing. Some parts are stored if it is refused for a change that another
// request makes at the same time, or if it ends halfway, because its client leaves, the disk is full or the server is killed. When the client
// sends all of it again, that changes nothing about those.
func (s *Service) transact(ctx context.Context, workspaceID string, patched []string, parts ...part) error {
	later, err := s.transactOnce(ctx, workspaceID, patched, parts)
	for more := later; more && err == nil; {
		if more, err = s.Settle(ctx, workspaceID); err != nil {
			return nil //nolint:nilerr // What was logged is stored, and the rest is tried again in the background.
		}
	}
	return err
}

// transactOnce is transact without what work leaves for later.
func (s *Service) transactOnce(ctx context.Context, workspaceID string, patched []string, parts []part) (later bool, _ error) {
	known := &ahead{
		now: s.now().Truncate(time.Microsecond), bodies: map[string][]*body{}, derived: map[string][]*derived{}, changes: map[changeKey]*change{},
	}
	for round := 0; ; round++ {
		last := round == mostRounds
		if !last {
			refused, err := s.rehearse(ctx, workspaceID, known, rehearsal{thorough: round > 0 || len(parts) > 1}, patched, joined(parts).work)
			if err != nil {
				return later, err
			}
			if refused { // One transaction finds out whether the reason still exists.
				parts = []part{joined(parts)}
			}
		}
		left, more, err := s.storeParts(ctx, workspaceID, known, parts, last)
		if parts, later = left, later || more; !errors.Is(err, errStale) {
			return later, err
		}
	}
}

// storeParts stores parts until one fails, and returns those that are left.
func (s *Service) storeParts(ctx context.Context, workspaceID string, known *ahead, parts []part, anything bool) (left []part, later bool, err error) {
	for len(parts) > 0 {
		more := false
		if err := s.store.DoGrouped(ctx, parts[0].expected, func(tx *store.Tx) error {
			l := s.newLogging(tx, workspaceID, known)
			l.anything = anything
			err := parts[0].work(l)
			more = l.later
			return err
		}); err != nil {
			return parts, later, err
		}
		parts, later = parts[1:], later || more
	}
	return nil, later, nil
}

// rehearse derives what work will store, and says whether it would be refused.
func (s *Service) rehearse(
	ctx context.Context, workspaceID string, known *ahead, r rehearsal, patched []string, work func(*logging) error,
) (refused bool, err error) {
	giveBack, err := s.rehearsals.Take(ctx, workspaceID)
	if err != nil {
		return false, err
	}
	defer giveBack()
	r.ctx, r.store, r.saved, r.projects = ctx, s.store, map[string]store.StoredRun{}, map[string]error{}
	if err := r.load(workspaceID, patched); err != nil {
		return false, err
	}
	l := s.newLogging(&r, workspaceID, known)
	l.rehearsing, l.anything = true, true
	err = work(l)
	if _, refused := errors.AsType[*ingest.Error](err); refused {
		return true, nil
	}
	return false, err
}

// ahead is what was computed before a transaction, with what it was computed from.
type ahead struct {
	now     time.Time
	bodies  map[string][]*body    // By run.
	derived map[string][]*derived // By run.
	changes map[changeKey]*change
}

// body is a version of what clients have logged about a run.
type body struct {
	stored store.RunBody
	said   layers
}

// changeKey identifies a change that depends on what is stored: a span with its parent, or a run that moves below its parent.
type changeKey struct {
	span            *otlp.Run
	runID, parentID string
}

// change returns the change with a key. It is always the same one, so that what was derived from it can be found.
func (a *ahead) change(key changeKey, begin func() *change) *change {
	if a.changes[key] == nil {
		a.changes[key] = begin()
	}
	return a.changes[key]
}

// bodyOf returns the version of a body that was stored; nil if it wasn't decoded before.
func (a *ahead) bodyOf(id string, stored store.RunBody) *body {
	at := slices.IndexFunc(a.bodies[id], func(b *body) bool {
		return bytes.Equal(b.stored.Post, stored.Post) && bytes.Equal(b.stored.Patch, stored.Patch)
	})
	if at < 0 {
		return nil
	}
	return a.bodies[id][at]
}

// facts are what the row of a run follows from, apart from other rows.
type facts struct {
	before   *body   // Nil for a new run.
	change   *change // Nil if only the place of its parent has changed.
	received time.Time
	costs    costs
}

// costs are the stored costs of a run.
type costs struct{ figures, prompt, completion, total, price string }

func costsOf(row store.Run) costs {
	return costs{row.Figures, api.OrEmpty(row.PromptCost), api.OrEmpty(row.CompletionCost), api.OrEmpty(row.TotalCost), api.OrEmpty(row.PriceID)}
}

func (f facts) equal(other facts) bool {
	return f.before == other.before && f.change == other.change && f.received.Equal(other.received) && f.costs == other.costs
}

// derived is what is stored of a run, or why it is refused.
type derived struct {
	from facts
	// parentID is the run below which the run was placed, and place that run's own place, empty if it had none. Both are empty if the
	// place of the run doesn't depend on another's.
	parentID, place string
	prices          *usage.PriceMap // Nil if they don't matter.

	row     store.Run // Without its project.
	project projectOf
	body    *body
	labels  []store.Label
	refused error
}

// foreseen returns what was derived before from the same facts, and still holds; nil if there is nothing.
func (l *logging) foreseen(id string, from facts) (*derived, error) {
	for _, d := range l.ahead.derived[id] {
		if !d.from.equal(from) || d.prices != nil && d.prices != l.service.Prices.Ready(l.tx, l.workspaceID) {
			continue
		}
		if d.parentID == "" {
			return d, nil
		}
		parent, err := l.parent(d.parentID)
		if err != nil || api.OrEmpty(parent.DottedOrder) == d.place {
			return d, err
		}
	}
	return nil, nil
}

// spend allows to compute something of a size now, or returns errStale.
func (l *logging) spend(size int64) error {
	if l.anything {
		return nil
	}
	l.spare -= max(size, minSpare)
	if l.spare < 0 {
		return errStale
	}
	return nil
}
