package feedback

import (
	"errors"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Store are the operations on stored feedback, and what feedback refers to.
type Store interface {
	Reader
	SaveFeedback(f store.Feedback) error
	FeedbackConfig(workspaceID, key string) (store.FeedbackConfig, error)
	SaveFeedbackConfig(c store.FeedbackConfig) error
	Project(workspaceID, id string) (store.Project, error)
}

// Save stores feedback, under its ID if it has one: clients that miss a response send it again under the same ID.
func Save(tx Store, workspaceID string, said Body, now time.Time) (store.Feedback, error) {
	row, err := said.row(workspaceID, now)
	if err != nil {
		return row, err
	}
	if row.ProjectID != nil {
		_, err := tx.Project(workspaceID, *row.ProjectID)
		if errors.Is(err, store.ErrNotFound) {
			return row, refusal.Missing("Session ID %s not found.", *row.ProjectID)
		}
		if err != nil {
			return row, err
		}
	}
	config := said.Config
	if config == nil {
		config = said.OtherConfig
	}
	if err := ensureConfig(tx, row, config, now); err != nil {
		return row, err
	}
	return row, tx.SaveFeedback(row)
}
