package run

import (
	"errors"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

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
