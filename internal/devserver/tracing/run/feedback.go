package run

import (
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// feedback stores feedback that was sent along with runs.
func (l *logging) feedback(one ingest.Feedback) error {
	_, err := feedback.Save(l.tx, l.workspaceID, one.Body, one.ID, l.now)
	if refused, is := errors.AsType[*refusal.Error](err); is {
		return &ingest.Error{Kind: refusal.Unprocessable, Problem: prefixes[refusal.Unprocessable] + ": feedback " + one.ID + ": " + refused.Error()}
	}
	return err
}
