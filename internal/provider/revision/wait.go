package revision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// rollout follows one revision of a deployment to its end, and tells about it on the way.
type rollout struct {
	progress
	client *client.Client
	policy poll.Policy
	limit  time.Duration
	// deployment as it was before.
	deployment api.Deployment
	// revision as it was last seen; the newest one, once the followed one has been superseded.
	revision api.Revision
	// superseded are the ids of the revisions that were followed before.
	superseded []string
}

func newRollout(c *client.Client, policy poll.Policy, limit time.Duration, send func(string)) *rollout {
	return &rollout{progress: newProgress(policy.Clock, send), client: c, policy: policy, limit: limit}
}

// left is what remains of the limit.
func (r *rollout) left() time.Duration { return r.limit - r.elapsed() }

// errGone ends the wait for a deployment that vanished.
var errGone = errors.New("the deployment is gone")

// wait returns when the revision is deployed, or with diagnostics that say why not. Being told to stop is a warning:
// Terraform then exits with an error of its own, and the rollout may yet end well.
func (r *rollout) wait(ctx context.Context) diag.Diagnostics {
	_, err := poll.Until(ctx, r.policy, r.left(), outage, func(ctx context.Context) (struct{}, bool, error) {
		done, err := r.look(ctx)
		return struct{}{}, done, err
	})
	name := r.deployment.Name
	var diags diag.Diagnostics
	for _, id := range r.superseded {
		diags.AddWarning(fmt.Sprintf("Revision of deployment %q was superseded", name),
			fmt.Sprintf("Revision %s was not deployed, because a newer one was made meanwhile, by a push or by somebody else. "+
				"The wait went on for the newer one, which may be made of something else: look at the deployment.", id))
	}
	at := fmt.Sprintf("Revision: %s · last status: %s · after %s", r.revision.ID, r.status(), r.elapsed())
	var failure *rolloutError
	switch {
	case err == nil:
	case errors.As(err, &failure):
		r.tellLog(ctx)
		diags.AddError(fmt.Sprintf("Rollout of deployment %q failed", name),
			fmt.Sprintf("%s\n\n%s\n\n%s", client.Mask(ctx, failure.Error()), at, r.next()))
	case errors.Is(err, errGone):
		diags.AddError(fmt.Sprintf("Deployment %q vanished", name),
			fmt.Sprintf("Deployment %s was deleted while its revision %s was waited for, by somebody else.", r.deployment.ID, r.revision.ID))
	case errors.Is(err, context.Canceled):
		diags.AddWarning(fmt.Sprintf("Stopped waiting for deployment %q", name),
			"The rollout goes on without being watched.\n\n"+at)
	case errors.Is(err, context.DeadlineExceeded):
		diags.AddError(fmt.Sprintf("Deployment %q was not rolled out in time", name),
			fmt.Sprintf("%s\n\n%s of %s\n\nThe rollout may still succeed: look at the revision before running the action again. To "+
				"wait longer, raise `timeout`.", lastProblem(err), at, r.limit))
	default:
		diags.Append(framework.Failure{Summary: fmt.Sprintf("Cannot follow the rollout of deployment %q", name)}.Diagnostics(err)...)
	}
	return diags
}

// next is what to do about a rollout that failed.
func (r *rollout) next() string {
	step := "Correct the cause and run the action again, or roll back: set revision_id to a revision that was deployed, which " +
		"the data source agentplane_deployment_revisions finds."
	if r.deployment.ActiveRevisionID == nil {
		return step
	}
	return fmt.Sprintf("Revision %s, which was active before, goes on serving. %s", *r.deployment.ActiveRevisionID, step)
}

// look asks for the revision once. A superseded one leads to the newest.
func (r *rollout) look(ctx context.Context) (bool, error) {
	revision, err := r.client.GetRevision(ctx, r.deployment.ID, r.revision.ID)
	if client.IsNotFound(err) {
		// A service may be slow to show what it has just made.
		_, err := r.followNewest(ctx)
		return false, err
	}
	if err != nil {
		if outage(err) {
			r.heartbeat("revision %s: the service can't be asked, trying again", r.revision.ID)
		}
		return false, err
	}
	if revision.Status != r.revision.Status {
		r.tell("revision %s: %s", revision.ID, revision.Status)
		tflog.Info(ctx, "revision status changed", map[string]any{
			"deployment_id": r.deployment.ID, "revision_id": revision.ID, "status": string(revision.Status),
			"previous_status": string(r.revision.Status), "elapsed": r.elapsed().String(),
		})
	} else {
		r.heartbeat("revision %s: still %s", revision.ID, revision.Status)
	}
	r.revision = *revision
	switch {
	case revision.Status == api.RevisionDeployed:
		return true, nil
	case revision.Status == api.RevisionSkipped:
		moved, err := r.followNewest(ctx)
		if err == nil && !moved {
			err = &rolloutError{*revision} // Nothing will deploy it any more.
		}
		return false, err
	case strings.Contains(string(revision.Status), "FAILED"):
		return false, &rolloutError{*revision}
	}
	return false, nil
}

// followNewest goes on with the newest revision, if that is another one.
func (r *rollout) followNewest(ctx context.Context) (bool, error) {
	now, err := r.client.GetDeployment(ctx, r.deployment.ID)
	if client.IsNotFound(err) || err == nil && now.Status == api.DeploymentAwaitingDelete {
		return false, errGone
	}
	if err != nil || now.LatestRevisionID == nil || *now.LatestRevisionID == r.revision.ID {
		return false, err
	}
	r.tell("revision %s: superseded by revision %s", r.revision.ID, *now.LatestRevisionID)
	r.superseded = append(r.superseded, r.revision.ID)
	r.revision = api.Revision{ID: *now.LatestRevisionID}
	return true, nil
}

// status is never empty: the wait may end before the first answer.
func (r *rollout) status() string {
	if r.revision.Status == "" {
		return "not known"
	}
	return string(r.revision.Status)
}

// rolloutError is a revision that ended without being deployed.
type rolloutError struct{ revision api.Revision }

func (e *rolloutError) Error() string {
	if e.revision.StatusMessage != nil && *e.revision.StatusMessage != "" {
		return *e.revision.StatusMessage
	}
	return "The service gives no reason."
}

// outage says that the service could not be asked, which says nothing about what is waited for. It answered a moment
// ago, so a page stands for a service that is down, not for a wrong address.
func outage(err error) bool { return client.IsTransient(err) || client.IsForeign(err) }

// lastProblem is what kept a wait from seeing the end, if it wasn't only slow.
func lastProblem(err error) string {
	var deadline *poll.DeadlineError
	if errors.As(err, &deadline) && deadline.Last != nil {
		return "The service could not be asked at last: " + strings.TrimSuffix(deadline.Last.Error(), ".") + "."
	}
	return "The revision is still in progress."
}
