package rollout

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// ErrGone ends the wait for a deployment that vanished.
var ErrGone = errors.New("the deployment is gone")

// FailedError is a revision that ended without being deployed.
type FailedError struct{ Revision api.Revision }

func (e *FailedError) Error() string {
	if e.Revision.StatusMessage != nil && *e.Revision.StatusMessage != "" {
		return *e.Revision.StatusMessage
	}
	return "The service gives no reason."
}

// Rollout follows one revision of a deployment.
type Rollout struct {
	Client *client.Client
	Policy poll.Policy
	// DeploymentID is the deployment's.
	DeploymentID string
	// Revision as it was last seen; the newest one, once the followed one has been superseded. Only its ID is needed.
	Revision api.Revision
	// Superseded are the ids of the revisions that were followed before.
	Superseded []string
	// Look is told of every look at the revision: what it was before, and what it is now, or why it could not be seen. A
	// revision of another ID supersedes the one before. Nil is told nothing.
	Look func(ctx context.Context, before, now api.Revision, err error)
}

// Wait returns when the revision is deployed. Otherwise the error is a *FailedError, ErrGone, what the context or the limit
// ended with, or what the service has refused for a minute: it has accepted the revision, so that a single odd answer says
// nothing about it.
func (r *Rollout) Wait(ctx context.Context, limit time.Duration) error {
	refused := Refusals{Policy: r.Policy, Object: func(ctx context.Context) error {
		_, err := r.Client.GetDeployment(ctx, r.DeploymentID)
		return err
	}}
	ended := false
	retryable := func(error) bool { return !ended }
	_, err := poll.Until(ctx, r.Policy, limit, retryable, func(ctx context.Context) (struct{}, bool, error) {
		done, err := r.once(ctx)
		var failure *FailedError
		if ended = errors.As(err, &failure) || errors.Is(err, ErrGone); ended {
			return struct{}{}, done, err
		}
		if ended, err = refused.Final(ctx, err); ended && client.IsNotFound(err) {
			err = ErrGone
		}
		return struct{}{}, done, err
	})
	return err
}

// once asks for the revision. A superseded one leads to the newest.
func (r *Rollout) once(ctx context.Context) (done bool, err error) {
	revision, err := r.Client.GetRevision(ctx, r.DeploymentID, r.Revision.ID)
	if client.IsNotFound(err) {
		// A service may be slow to show what it has just made.
		_, err := r.followNewest(ctx)
		return false, err
	}
	if err != nil {
		r.look(ctx, r.Revision, err)
		return false, err
	}
	r.look(ctx, *revision, nil)
	r.Revision = *revision
	switch {
	case revision.Status == api.RevisionDeployed:
		return true, nil
	case revision.Status == api.RevisionSkipped:
		moved, err := r.followNewest(ctx)
		if err == nil && !moved {
			err = &FailedError{*revision} // Nothing will deploy it any more.
		}
		return false, err
	case Failed(revision.Status):
		return false, &FailedError{*revision}
	}
	return false, nil
}

func (r *Rollout) look(ctx context.Context, now api.Revision, err error) {
	if r.Look != nil {
		r.Look(ctx, r.Revision, now, err)
	}
}

// followNewest goes on with the newest revision, if that is another one.
func (r *Rollout) followNewest(ctx context.Context) (moved bool, err error) {
	now, err := r.Client.GetDeployment(ctx, r.DeploymentID)
	if err == nil && now.Status.BeingDeleted() {
		return false, ErrGone
	}
	if err != nil || now.LatestRevisionID == nil || *now.LatestRevisionID == r.Revision.ID {
		return false, err
	}
	newest := api.Revision{ID: *now.LatestRevisionID}
	r.look(ctx, newest, nil)
	r.Superseded = append(r.Superseded, r.Revision.ID)
	r.Revision = newest
	return true, nil
}

// Glance looks at the revision once, without waiting for anything. Where it can't be seen, it is as it was.
func (r *Rollout) Glance(ctx context.Context) {
	if revision, err := r.Client.GetRevision(ctx, r.DeploymentID, r.Revision.ID); err == nil {
		r.Revision = *revision
	}
}

// Status is the state that was last seen, in words: the wait may end before the first answer.
func (r *Rollout) Status() string {
	if r.Revision.Status == "" {
		return "not known"
	}
	return string(r.Revision.Status)
}

// LastProblem is what kept a wait from seeing the end in time, if it wasn't only slow.
func (r *Rollout) LastProblem(err error) string {
	var deadline *poll.DeadlineError
	switch {
	case errors.As(err, &deadline) && deadline.Last != nil:
		return "The last status check failed: " + strings.TrimSuffix(deadline.Last.Error(), ".") + "."
	case r.Revision.Status == "":
		return "The service did not answer within this time, so the status of the revision is unknown."
	case r.Revision.Status == api.RevisionInterrupted:
		return "The rollout was interrupted at the service, which says nothing about what becomes of it then."
	}
	return "The revision is still in progress."
}

// Failed says whether a rollout ended without being deployed. The newest revision is never superseded in earnest: found
// SKIPPED, nothing will deploy it any more.
func Failed(status api.RevisionStatus) bool {
	return strings.Contains(string(status), "FAILED") || status == api.RevisionSkipped
}

// InProgress says whether a rollout may still end well. A status that is not known here counts as one.
func InProgress(status api.RevisionStatus) bool {
	return status != "" && status != api.RevisionDeployed && !Failed(status)
}

// Outage says that the service could not be asked, which says nothing about what is waited for. It answered a moment ago,
// so a page stands for a service that is down, not for a wrong address.
func Outage(err error) bool { return client.IsTransient(err) || client.IsForeign(err) }
