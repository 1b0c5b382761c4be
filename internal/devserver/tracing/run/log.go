package run

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// Log stores a batch of runs, with feedback by ID. A refused batch stores nothing.
func (s *Service) Log(ctx context.Context, workspaceID string, batch []byte, feedback map[string][]byte) error {
	operations, err := ingest.Batch(batch)
	if err != nil {
		return err
	}
	request := ingest.Request{Operations: operations}
	for id, body := range feedback {
		request.Feedback = append(request.Feedback, ingest.Feedback{ID: id, Body: body})
	}
	return s.log(ctx, workspaceID, request)
}

// changesTogether is how many runs of a request a transaction changes, and bytesTogether how many bytes these have, unless one has more. Others can
// write before the next ones. Clients are told to send as many runs at once.
const changesTogether, bytesTogether = 100, 4 << 20

// slicesOf divides changes among transactions.
func slicesOf(all []*change) (divided [][]*change) {
	var bytes int64
	for _, c := range all {
		last := len(divided) - 1
		if bytes += c.size(); last < 0 || len(divided[last]) == changesTogether || bytes > bytesTogether {
			divided, bytes = append(divided, []*change{c}), c.size()
			continue
		}
		divided[last] = append(divided[last], c)
	}
	return divided
}

// log stores the contents of a request.
func (s *Service) log(ctx context.Context, workspaceID string, request ingest.Request) error {
	entries, err := entriesOf(workspaceID, request.Feedback, s.now())
	if err != nil {
		return err
	}
	all := changes(request.Operations)
	divided := slicesOf(all)
	if len(entries) > 0 || len(all) == 0 { // Only the transaction finds out whether they are refused.
		divided = [][]*change{all}
	}
	var parts []part
	for i, some := range divided {
		var next part
		for _, c := range some {
			switch {
			case c.posts == nil:
				next.changed = append(next.changed, c.runID)
			case c.runID != "":
				next.created = append(next.created, c.runID)
			}
			if parentID, is := c.parentID(); is {
				next.parents = append(next.parents, parentID)
			}
		}
		next.work = func(d *draft) error {
			if i == len(divided)-1 {
				d.addRest(request, entries)
			}
			for _, c := range some {
				if err := d.apply(c); err != nil {
					return err
				}
			}
			return nil
		}
		parts = append(parts, next)
	}
	return s.transact(ctx, workspaceID, parts...)
}

// addRest adds what a request contains beside runs.
func (d *draft) addRest(request ingest.Request, entries []feedback.Entry) {
	d.rest = append(d.rest, func(tx *store.Tx) error {
		for i, entry := range entries {
			if err := entry.Save(tx, d.now); err != nil {
				return refuseFeedback(request.Feedback[i], err)
			}
		}
		return giveAttachments(tx, request.Attachments)
	})
}

func giveAttachments(tx *store.Tx, all []ingest.Attachment) error {
	for _, a := range all {
		if err := tx.GiveAttachment(a.Content, a.RunID, a.Name, a.MimeType, a.Size); err != nil {
			return err
		}
	}
	return nil
}

// change combines the operations of a request on one run.
type change struct {
	runID          string
	posts, patches []ingest.Fields
	layers         // The posts and the patches, merged.
}

// parentID returns the parent whose place decides on that of the run, if there is one.
func (c *change) parentID() (id string, is bool) {
	if c.member("dotted_order") != nil {
		return "", false
	}
	err := json.Unmarshal(c.member("parent_run_id"), &id)
	return id, err == nil && id != ""
}

// changes combines the operations on each run. It keeps the order in which runs appear, and thus parents before their
// children if a client sends them so.
func changes(operations []ingest.Operation) []*change {
	var all []*change
	byRun := map[string]*change{}
	for _, op := range operations {
		c := byRun[op.RunID]
		if c == nil || op.RunID == "" {
			c = &change{runID: op.RunID}
			all = append(all, c)
			byRun[op.RunID] = c
		}
		switch op.Kind {
		case ingest.Post:
			c.posts = append(c.posts, op.Fields)
		case ingest.Patch:
			c.patches = append(c.patches, op.Fields)
		}
	}
	for _, c := range all {
		c.layers = layers{ingest.Merge(c.posts...), ingest.Merge(c.patches...)}
	}
	return all
}

// apply merges a change into what is known of its run.
func (d *draft) apply(c *change) error {
	if c.runID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		c.runID = id.String()
	}
	known, err := d.known(c.runID)
	if err != nil {
		return err
	}
	return d.applyTo(c.runID, known, c.layers)
}

// applyTo is apply for a run that was already read.
func (d *draft) applyTo(id string, known knownRun, changes layers) error {
	row, err := d.save(id, known, changes)
	if err != nil || !canHaveChildren(row) || known.row != nil && known.row.DottedOrder != nil {
		return err
	}
	return d.placeWaiting(id) // A run that is new, or whose place has just become known, may have children that wait for it.
}

// knownRun is what is known of a run; the row is nil for a new run.
type knownRun struct {
	row   *store.Run
	said  layers
	bytes int // Of its body.
}

func (d *draft) known(id string) (knownRun, error) {
	stored, err := d.run(id)
	if err != nil || stored.ID == "" {
		return knownRun{}, err
	}
	known := knownRun{row: &stored.Run, bytes: len(stored.Body.Post) + len(stored.Body.Patch)}
	if before := d.derived[id]; before != nil {
		known.said = before.said
		return known, nil
	}
	known.said, err = readLayers(stored.Body.Unpacked())
	return known, err
}

// save keeps what follows from all that is known of a run, and from changes.
func (d *draft) save(id string, known knownRun, changes layers) (store.Run, error) {
	r, err := d.derive(id, known, changes)
	if err != nil {
		return store.Run{}, err
	}
	if err := d.checkProject(id, r.project); err != nil {
		return r.row, err
	}
	return r.row, d.keep(r)
}

// mostRounds is how often the runs of a request are derived before its transaction. If others have changed the same runs each time, they
// are derived within it.
const mostRounds = 3

// errStale means that what a request was derived from has changed before its transaction.
var errStale = errors.New("the runs have changed since they were derived")

// part is what one transaction stores of a request.
type part struct {
	// created are the IDs of runs that are nearly always new, and changed those of others.
	created, changed []string
	parents          []string       // IDs of runs that it may look at.
	labels           []store.Labels // Of runs that it will look for.
	work             func(*draft) error
}

// expected is what the store can read together for the part.
func (p part) expected(workspaceID string) store.Expected {
	return store.Expected{WorkspaceID: workspaceID, RunIDs: slices.Concat(p.parents, p.created, p.changed)}
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
			if err = s.write(ctx, parts[i].expected(workspaceID), step.storeUnchanged); err != nil {
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
		if err := s.write(ctx, p.expected(workspaceID), func(tx *store.Tx) error {
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
