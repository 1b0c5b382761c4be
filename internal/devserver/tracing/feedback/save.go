package feedback

import (
	"errors"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Entry is feedback that is ready to be stored, with the configuration of its key, if it has one.
type Entry struct {
	row    store.Feedback
	config *scale
}

// Entry returns the feedback, or its problems.
func (b Body) Entry(workspaceID string, now time.Time) (Entry, error) {
	row, err := b.row(workspaceID, now)
	if err != nil {
		return Entry{}, err
	}
	config := b.Config
	if config == nil {
		config = b.OtherConfig
	}
	read, err := readConfig(config)
	return Entry{row, read}, err
}

// Save stores feedback, under its ID if it has one: clients that miss a response send it again under the same ID.
func (e Entry) Save(tx *store.Tx, now time.Time) error {
	if e.row.ProjectID != nil {
		_, err := tx.Project(e.row.WorkspaceID, *e.row.ProjectID)
		if errors.Is(err, store.ErrNotFound) {
			return form.Missing("Session ID %s not found.", *e.row.ProjectID)
		}
		if err != nil {
			return err
		}
	}
	if err := ensureConfig(tx, e.row, e.config, now); err != nil {
		return err
	}
	return tx.SaveFeedback(e.row)
}

// save stores feedback and returns it.
func save(tx *store.Tx, workspaceID string, said Body, now time.Time) (store.Feedback, error) {
	entry, err := said.Entry(workspaceID, now)
	if err == nil {
		err = entry.Save(tx, now)
	}
	return entry.row, err
}
