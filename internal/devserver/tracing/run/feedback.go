package run

import (
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// feedback stores feedback that was sent along with runs.
func (l *logging) feedback(one ingest.Feedback) error {
	said, err := form.Decode[feedback.Body](one.Body, api.Neutral)
	if err == nil {
		said.ID = (*api.UUID)(&one.ID)
		_, err = feedback.Save(l.tx, l.workspaceID, said, l.now)
	}
	if refused, is := errors.AsType[*refusal.Error](err); is {
		return &ingest.Error{Kind: refusal.Unprocessable, Problem: prefixes[refusal.Unprocessable] + ": feedback " + one.ID + ": " + refused.Error()}
	}
	return err
}
