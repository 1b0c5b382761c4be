package deployment

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

// rollout follows one revision of a deployment to its end.
type rollout struct {
	client *client.Client
	policy poll.Policy
	// name and id are the deployment's.
	name, id string
	// revision as it was last seen; the newest one, once the followed one has been superseded.
	revision api.Revision
	// superseded are the ids of the revisions that were followed before.
	superseded []string
	// next is what to do about a failure, late what comes of a rollout that takes too long.
	next, late string
	// gone says that the deployment vanished.
	gone bool
}

// wait returns when the revision is deployed, or with diagnostics that say why not. Being told to stop is a warning:
// Terraform then exits with an error of its own, but doesn't taint what may yet become healthy.
func (w *rollout) wait(ctx context.Context, limit time.Duration) diag.Diagnostics {
	start := w.now()
	_, err := poll.Until(ctx, w.policy, limit, outage, func(ctx context.Context) (struct{}, bool, error) {
		done, err := w.look(ctx, start)
		return struct{}{}, done, err
	})
	var diags diag.Diagnostics
	for _, id := range w.superseded {
		diags.AddWarning(fmt.Sprintf("Revision of deployment %q was superseded", w.name),
			fmt.Sprintf("Revision %s was not deployed, because a newer one was made meanwhile, by a push or by somebody else. "+
				"The wait went on for the newer one, which may not be what the configuration says: look at the next plan.", id))
	}
	var failure *rolloutError
	switch {
	case err == nil:
	case errors.As(err, &failure):
		diags.AddError(fmt.Sprintf("Rollout of deployment %q failed", w.name),
			fmt.Sprintf("%s\n\nRevision: %s · status: %s · after %s\n\n%s", client.Mask(ctx, failure.message()), w.revision.ID, w.revision.Status,
				rounded(w.now().Sub(start)), w.next))
	case w.gone:
		diags.Append(w.vanished())
	case errors.Is(err, context.Canceled):
		diags.AddWarning(fmt.Sprintf("Stopped waiting for deployment %q", w.name),
			fmt.Sprintf("The rollout goes on without being watched. The next plan takes it up.\n\nRevision: %s · last status: "+
				"%s · after %s", w.revision.ID, w.status(), rounded(w.now().Sub(start))))
	case errors.Is(err, context.DeadlineExceeded):
		diags.AddError(fmt.Sprintf("Deployment %q was not rolled out in time", w.name),
			fmt.Sprintf("%s\n\nRevision: %s · last status: %s · after %s of %s\n\n%s To wait longer, raise `timeouts`.",
				lastProblem(err), w.revision.ID, w.status(), rounded(w.now().Sub(start)), rounded(limit), w.late))
	default:
		diags.Append(framework.Failure{Summary: fmt.Sprintf("Cannot follow the rollout of deployment %q", w.name)}.Diagnostics(err)...)
	}
	return diags
}

// outage says that the service could not be asked, which says nothing about what is waited for. It answered a moment
// ago, so a page stands for a service that is down, not for a wrong address.
func outage(err error) bool { return client.IsTransient(err) || client.IsForeign(err) }

func (w *rollout) vanished() diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Deployment %q vanished", w.name),
		fmt.Sprintf("Deployment %s was deleted while its revision %s was waited for, by somebody else. Apply again to create "+
			"it anew, unless it should be gone.", w.id, w.revision.ID))
}

// look asks for the revision once. A superseded one leads to the newest.
func (w *rollout) look(ctx context.Context, start time.Time) (bool, error) {
	revision, err := w.client.GetRevision(ctx, w.id, w.revision.ID)
	if client.IsNotFound(err) {
		return false, w.lost(ctx)
	}
	if err != nil {
		return false, err
	}
	if revision.Status != w.revision.Status {
		tflog.Info(ctx, "revision status changed", map[string]any{
			"deployment_id": w.id, "revision_id": revision.ID, "status": string(revision.Status),
			"previous_status": string(w.revision.Status), "elapsed": rounded(w.now().Sub(start)).String(),
		})
	}
	w.revision = *revision
	switch {
	case revision.Status == api.RevisionDeployed:
		return true, nil
	case revision.Status == api.RevisionSkipped:
		return false, w.followNewest(ctx)
	case failed(revision.Status):
		return false, &rolloutError{*revision}
	}
	return false, nil
}

// lost is called when the revision is not found. If the deployment is there, a newer revision may be; a service may also
// be slow to show what it has just made.
func (w *rollout) lost(ctx context.Context) error {
	deployment, err := w.client.GetDeployment(ctx, w.id)
	if removed(deployment, err) != "" {
		w.gone = true
		return errGone
	}
	if err == nil && deployment.LatestRevisionID != nil && *deployment.LatestRevisionID != w.revision.ID {
		w.superseded = append(w.superseded, w.revision.ID)
		w.revision = api.Revision{ID: *deployment.LatestRevisionID}
	}
	return err
}

// errGone ends the wait for a deployment that vanished.
var errGone = errors.New("the deployment is gone")

// followNewest goes on with the newest revision. If that is the skipped one itself, nothing will deploy it any more.
func (w *rollout) followNewest(ctx context.Context) error {
	deployment, err := w.client.GetDeployment(ctx, w.id)
	if removed(deployment, err) != "" {
		w.gone = true
		return errGone
	}
	if err != nil {
		return err
	}
	if deployment.LatestRevisionID == nil || *deployment.LatestRevisionID == w.revision.ID {
		return &rolloutError{w.revision}
	}
	w.superseded = append(w.superseded, w.revision.ID)
	w.revision = api.Revision{ID: *deployment.LatestRevisionID}
	return nil
}

func (w *rollout) now() time.Time {
	if w.policy.Clock == nil {
		return time.Now()
	}
	return w.policy.Clock.Now()
}

// status is never empty: the wait may end before the first answer.
func (w *rollout) status() string {
	if w.revision.Status == "" {
		return "not known"
	}
	return string(w.revision.Status)
}

// rolloutError is a revision that ended without being deployed.
type rolloutError struct{ revision api.Revision }

func (e *rolloutError) Error() string { return e.message() }

func (e *rolloutError) message() string {
	if e.revision.StatusMessage != nil && *e.revision.StatusMessage != "" {
		return *e.revision.StatusMessage
	}
	return "The service gives no reason. Its logs of the revision may."
}

// lastProblem is what kept a wait from seeing the end, if it wasn't only slow.
func lastProblem(err error) string {
	var deadline *poll.DeadlineError
	if errors.As(err, &deadline) && deadline.Last != nil {
		return "The service could not be asked at last: " + strings.TrimSuffix(deadline.Last.Error(), ".") + "."
	}
	return "The revision is still in progress."
}

// glance looks at the revision once, without waiting for anything.
func (w *rollout) glance(ctx context.Context) {
	if revision, err := w.client.GetRevision(ctx, w.id, w.revision.ID); err == nil {
		w.revision = *revision
	}
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Second) }
