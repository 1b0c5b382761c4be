package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// prefixes begin the texts that refuse runs.
var prefixes = map[form.Kind]string{
	form.BadRequest:    "Bad request",
	form.Unprocessable: "Unprocessable entity",
}

// refuseRun names a run and its problems.
func refuseRun(kind form.Kind, id string, problems []string) error {
	text := prefixes[kind] + ": " + strings.Join(problems, "; ")
	if !strings.Contains(text, id) {
		text += " for run_id:" + id
	}
	return &ingest.Error{Kind: kind, Problem: text}
}

// Space returns what a workspace takes in the database, in bytes, and the limit beyond which its runs are refused; zero means none.
func (s *Service) Space(tx *store.Tx, workspaceID string) (taken, limit int64, err error) {
	taken, err = tx.Occupied(workspaceID)
	return taken, s.MaxBytes, err
}

// checkSpace refuses whatever logs runs in a workspace that takes as much as it may. Clients drop what is refused as
// forbidden: they would send anything else again, and keep it in memory until then.
func (s *Service) checkSpace(ctx context.Context, workspaceID string) error {
	if s.MaxBytes <= 0 {
		return nil
	}
	taken, err := s.store.Occupied(ctx, workspaceID)
	if err != nil || taken < s.MaxBytes {
		return err
	}
	return &ingest.Error{Kind: form.Forbidden, Problem: fmt.Sprintf("Forbidden: the workspace takes %d bytes, "+
		"and the limit of this server is %d (-max-bytes): delete tracing projects that are no longer needed", taken, s.MaxBytes)}
}

// entriesOf returns feedback that was sent along with runs.
func entriesOf(workspaceID string, all []ingest.Feedback, now time.Time) ([]feedback.Entry, error) {
	entries := make([]feedback.Entry, len(all))
	for i, one := range all {
		said, err := form.Decode[feedback.Body](one.Body, api.Neutral)
		if err == nil {
			said.ID = (*api.UUID)(&one.ID)
			entries[i], err = said.Entry(workspaceID, now)
		}
		if err != nil {
			return nil, refuseFeedback(one, err)
		}
	}
	return entries, nil
}

// refuseFeedback returns the answer to invalid feedback. Other errors are unchanged.
func refuseFeedback(one ingest.Feedback, err error) error {
	if refused, is := errors.AsType[*form.Error](err); is {
		return &ingest.Error{Kind: form.Unprocessable, Problem: prefixes[form.Unprocessable] + ": feedback " + one.ID + ": " + refused.Error()}
	}
	return err
}
