package run

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// logging stores the runs of one request, in its transaction or in a rehearsal of it.
type logging struct {
	service     *Service
	tx          Writer
	workspaceID string
	now         time.Time
	projects    map[string]string // IDs by name.
	ahead       *ahead
	rehearsing  bool
	// spare is the size of what may still be derived here, unless anything may.
	spare    int64
	anything bool
	// placed is what waiting runs that were placed count, and later says that others will be placed in other transactions.
	placed int
	later  bool
}

func (s *Service) newLogging(tx Writer, workspaceID string, known *ahead) *logging {
	return &logging{
		service: s, tx: tx, workspaceID: workspaceID, now: known.now, projects: map[string]string{}, ahead: known, spare: mostSpare,
	}
}

// applyAll merges changes into what is known of their runs.
func (l *logging) applyAll(all []*change) error {
	for _, change := range all {
		if err := l.apply(change); err != nil {
			return err
		}
	}
	return nil
}

// storeRest stores what a request contains beside runs.
func (l *logging) storeRest(request ingest.Request, entries []feedback.Entry) error {
	if l.rehearsing {
		return nil
	}
	for i, entry := range entries {
		if err := entry.Save(l.tx, l.now); err != nil {
			return refuseFeedback(request.Feedback[i], err)
		}
	}
	for _, a := range request.Attachments {
		if err := l.tx.GiveAttachment(a.Content, a.RunID, a.Name, a.MimeType, a.Size); err != nil {
			return err
		}
	}
	return nil
}

// change combines the operations of a request on one run.
type change struct {
	runID       string
	post, patch ingest.Fields // Nil if there was none.
}

// parentID returns the parent whose place decides on that of the run, if there is one.
func (c *change) parentID() (id string, is bool) {
	said := layers{c.post, c.patch}
	if said.member("dotted_order") != nil {
		return "", false
	}
	err := json.Unmarshal(said.member("parent_run_id"), &id)
	return id, err == nil && id != ""
}

func (c *change) size() int64 {
	if c == nil {
		return 0
	}
	return layers{c.post, c.patch}.size()
}

// changes combines the operations on each run. It keeps the order in which runs appear, and thus parents before their
// children if a client sends them so.
func changes(operations []ingest.Operation) []*change {
	var all []*change
	byRun := map[string]*change{}
	posts, patches := map[*change][]ingest.Fields{}, map[*change][]ingest.Fields{}
	for _, op := range operations {
		c := byRun[op.RunID]
		if c == nil || op.RunID == "" {
			c = &change{runID: op.RunID}
			all = append(all, c)
			byRun[op.RunID] = c
		}
		switch op.Kind {
		case ingest.Post:
			posts[c] = append(posts[c], op.Fields)
		case ingest.Patch:
			patches[c] = append(patches[c], op.Fields)
		}
	}
	for _, c := range all {
		if posts[c] != nil {
			c.post = ingest.Merge(posts[c]...)
		}
		if patches[c] != nil {
			c.patch = ingest.Merge(patches[c]...)
		}
	}
	return all
}

// apply merges a change into what is known of its run.
func (l *logging) apply(c *change) error {
	if c.runID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		c.runID = id.String()
	}
	known, err := l.known(c.runID)
	if err != nil {
		return err
	}
	return l.applyTo(known, c)
}

// applyTo is apply for a run that was already read.
func (l *logging) applyTo(known knownRun, c *change) error {
	wasOrphan := known.row != nil && known.row.DottedOrder == nil
	row, err := l.save(c.runID, known, c)
	if err != nil || !canHaveChildren(row) {
		return err
	}
	// A run that is new, or whose place has just become known, may have children that wait for it.
	if known.row == nil || wasOrphan {
		return l.placeWaiting(row.ID)
	}
	return nil
}

// knownRun is the stored state of a run; nil for a new run.
type knownRun struct {
	row  *store.Run
	body *body
}

// said returns everything that was logged before.
func (k knownRun) said() layers {
	if k.body == nil {
		return layers{}
	}
	return k.body.said
}

func (l *logging) known(id string) (knownRun, error) {
	row, stored, err := l.tx.StoredRun(l.workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return knownRun{}, nil
	}
	if err != nil {
		return knownRun{}, err
	}
	if known := l.ahead.bodyOf(id, stored); known != nil {
		return knownRun{&row, known}, nil
	}
	if err := l.spend(int64(len(stored.Post) + len(stored.Patch))); err != nil {
		return knownRun{}, err
	}
	text, err := stored.Unpacked()
	if err != nil {
		return knownRun{}, err
	}
	said, err := readLayers(text)
	if err != nil {
		return knownRun{}, err
	}
	decoded := &body{stored, said}
	l.ahead.bodies[id] = append(l.ahead.bodies[id], decoded)
	return knownRun{&row, decoded}, nil
}

// save stores what follows from all that is known of a run, and from a change unless it is nil.
func (l *logging) save(id string, known knownRun, c *change) (store.Run, error) {
	d, err := l.derive(id, known, c)
	if err != nil {
		return store.Run{}, err
	}
	row := d.row
	if known.row != nil {
		row.Seq = known.row.Seq
	}
	if row.ProjectID, err = l.project(id, d.project); err != nil {
		return row, err
	}
	if err := l.tx.SaveRun(row, d.body.stored, d.labels); err != nil {
		return row, err
	}
	return row, nil
}
