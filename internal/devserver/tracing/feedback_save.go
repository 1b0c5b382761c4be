package tracing

import (
	"errors"
	"net/http"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// saveFeedback stores feedback, under the given ID if there is one: clients that miss a response send it again under the
// same ID.
func saveFeedback(tx store.Tx, workspaceID string, body []byte, id string, now time.Time) (store.Feedback, error) {
	said, err := rest.Decode[feedbackBody](body, api.Neutral)
	if err != nil {
		return store.Feedback{}, err
	}
	if id != "" {
		said.ID = (*api.UUID)(&id)
	}
	row, err := said.row(workspaceID, now)
	if err != nil {
		return row, err
	}
	if row.ProjectID != nil {
		_, err := tx.Project(workspaceID, *row.ProjectID)
		if errors.Is(err, store.ErrNotFound) {
			return row, rest.NewError(http.StatusNotFound, "Session ID %s not found.", *row.ProjectID)
		}
		if err != nil {
			return row, err
		}
	}
	config := said.Config
	if config == nil {
		config = said.OtherConfig
	}
	if err := ensureFeedbackConfig(tx, row, config, now); err != nil {
		return row, err
	}
	return row, tx.SaveFeedback(row)
}
