package run

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// applyAll merges changes into what is known of their runs.
func (d *draft) applyAll(all []*change) error {
	for _, change := range all {
		if err := d.apply(change); err != nil {
			return err
		}
	}
	return nil
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
	return d.applyTo(known, c)
}

// applyTo is apply for a run that was already read.
func (d *draft) applyTo(known knownRun, c *change) error {
	wasOrphan := known.row != nil && known.row.DottedOrder == nil
	row, err := d.save(c.runID, known, c)
	if err != nil || !canHaveChildren(row) {
		return err
	}
	// A run that is new, or whose place has just become known, may have children that wait for it.
	if known.row == nil || wasOrphan {
		return d.placeWaiting(row.ID)
	}
	return nil
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
	text, err := stored.Body.Unpacked()
	if err == nil {
		known.said, err = readLayers(text)
	}
	return known, err
}

// save keeps what follows from all that is known of a run, and from a change unless it is nil.
func (d *draft) save(id string, known knownRun, c *change) (store.Run, error) {
	r, err := d.derive(id, known, c)
	if err != nil {
		return store.Run{}, err
	}
	if err := d.checkProject(id, r.project); err != nil {
		return r.row, err
	}
	return r.row, d.keep(r)
}
