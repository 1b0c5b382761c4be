package run

import (
	"errors"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// feedback stores feedback that was sent along with runs.
func (l *logging) feedback(one ingest.Feedback) error {
	_, err := feedback.Save(l.tx, l.workspaceID, one.Body, one.ID, l.now)
	if refused, is := errors.AsType[*rest.Error](err); is {
		return &ingest.Error{Status: refused.Status, Problem: kindOf[http.StatusUnprocessableEntity] + ": feedback " + one.ID + ": " + problemsOf(refused)}
	}
	return err
}

// problemsOf returns the problems in an error answer as one line.
func problemsOf(refused *rest.Error) string {
	body, is := refused.Body.(api.HTTPValidationError)
	if !is {
		return refused.Error()
	}
	return strings.Join(rest.Collect(body.Detail, func(e api.ValidationError) string {
		if at := len(e.Loc) - 1; at > 0 {
			return e.Loc[at].Key + ": " + e.Msg
		}
		return e.Msg
	}), "; ")
}
