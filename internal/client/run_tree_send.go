package client

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// runsPath is where runs are logged.
const runsPath = tracingPrefix + "/runs"

// Post creates the run with all that is known of it. Of a run that has ended already, nothing is left to Patch.
//
// The error is a *RunContentError if the run was sent, but its content could not be sent as it was given.
func (t *RunTree) Post(ctx context.Context) error {
	said, problems := t.said(true)
	err := t.send(ctx, request{method: http.MethodPost, path: runsPath, body: said}, problems)
	if _, sent := errors.AsType[*RunContentError](err); err == nil || sent {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.posted = true
	}
	return err
}

// Patch sends what is known of the run now. It sends the inputs along if no Post has succeeded: the service takes a patch
// for a run that it doesn't know, and a post that comes later.
//
// The error is a *RunContentError if the run was sent, but its content could not be sent as it was given.
func (t *RunTree) Patch(ctx context.Context) error {
	said, problems := t.said(false)
	return t.send(ctx, request{method: http.MethodPatch, path: runsPath + "/" + said.ID, body: said}, problems)
}

// said is the run as the service is told it, and what has gone wrong with it since it was told the last time. Each request
// says all but the inputs, so that the run is whole whichever arrives first.
func (t *RunTree) said(whole bool) (api.RunIngest, []error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := t.base
	if whole || !t.posted {
		said.Inputs = t.inputs
	}
	said.Outputs, said.Error, said.EndTime = t.outputs, t.failure, t.endTime
	said.Events, said.Tags = slices.Clone(t.events), slices.Clone(t.tags)
	extra := maps.Clone(t.extra)
	if len(t.metadata) > 0 {
		extra["metadata"] = encoded(t.metadata)
	}
	if len(extra) > 0 {
		said.Extra = encoded(extra)
	}
	problems := t.problems
	t.problems = nil
	return said, problems
}

// send logs the run. Nothing is logged twice by a request that is sent again, because the run has its id from here: a
// service that notices answers 409.
func (t *RunTree) send(ctx context.Context, r request, problems []error) error {
	r.tracing, r.repeatable = true, true
	_, err := t.client.do(ctx, r)
	switch {
	case err != nil && !isReceived(err):
		t.mu.Lock()
		defer t.mu.Unlock()
		t.problems = append(problems, t.problems...)
		return err
	case len(problems) > 0:
		return &RunContentError{RunID: t.ID(), Problems: problems}
	}
	return nil
}

// isReceived says that the service has the run already, from an attempt whose answer was lost.
func isReceived(err error) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Status == http.StatusConflict && strings.Contains(refused.Detail, "already received")
}
