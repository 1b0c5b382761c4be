package deployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// rolling is the rollout of a deployment's revision, with the texts of its diagnostics.
type rolling struct {
	rollout.Rollout
	// name is the deployment's.
	name string
	// next is what to do about a failure, late what happens after a timeout.
	next, late string
	// spent is the part of the limit that the write has already used.
	spent time.Duration
	// creation says that the deployment has just been created.
	creation bool
	// earlier is the newest revision before this one, empty if there was none.
	earlier string
	// taints says that the service itself reported that the rollout failed, or that it is still in progress after the limit.
	taints bool
	// blind says that the service didn't show the rollout after the limit, or refused to for minutes.
	blind bool
	// deleted says that the deployment is proved to be gone.
	deleted bool
	// seen says that the deployment was read after the rollout.
	seen bool
}

// wait returns when the revision is deployed, or with diagnostics that say why not. A cancellation is only a warning:
// Terraform then exits with its own error, but doesn't taint a deployment that may still become healthy.
func (w *rolling) wait(ctx context.Context, limit time.Duration) diag.Diagnostics {
	start := w.Policy.Now()
	elapsed := func() time.Duration { return poll.Rounded(w.spent + w.Policy.Now().Sub(start)) }
	w.Look = func(ctx context.Context, before, now api.Revision, err error) {
		if err == nil && now.ID == before.ID && now.Status != before.Status {
			tflog.Info(ctx, "revision status changed", map[string]any{
				"deployment_id": w.DeploymentID, "revision_id": now.ID, "status": string(now.Status),
				"previous_status": string(before.Status), "elapsed": elapsed().String(),
			})
		}
	}
	err := w.Wait(ctx, max(0, limit-w.spent))
	var diags diag.Diagnostics
	var failure *rollout.FailedError
	switch {
	case err == nil:
	case errors.As(err, &failure):
		w.taints = true
		diags.AddError(fmt.Sprintf("Rollout of deployment %q failed", w.name),
			fmt.Sprintf("%s\n\nRevision: %s · status: %s · after %s%s\n\n%s", mask.Text(ctx, failure.Error()), w.Revision.ID,
				w.Revision.Status, elapsed(), w.log(ctx), w.next))
	case errors.Is(err, rollout.ErrDeleted):
		w.deleted = true
	case errors.Is(err, context.Canceled):
		diags.AddWarning(fmt.Sprintf("Stopped waiting for deployment %q", w.name),
			fmt.Sprintf("The rollout continues. The next apply resumes waiting.\n\n"+
				"Revision: %s · last status: %s · after %s", w.Revision.ID, w.Status(), elapsed()))
	case errors.Is(err, context.DeadlineExceeded) && w.Revision.Status != "":
		w.taints = true
		diags.AddError(fmt.Sprintf("Deployment %q was not rolled out in time", w.name),
			fmt.Sprintf("%s\n\n"+
				"Revision: %s · last status: %s · after %s of %s\n\n"+
				"%s To allow more time, raise `timeouts`.",
				w.LastProblem(err), w.Revision.ID, w.Status(), elapsed(), poll.Rounded(limit), w.lateNext()))
	default:
		w.blind = true
		diags.Append(w.unreadable(err))
	}
	return diags
}

// unreadable is the error of a rollout whose status the service, or something in front of it, didn't show after the limit, or has refused
// to show for minutes.
func (w *rolling) unreadable(err error) diag.Diagnostic {
	if w.creation && client.IsNotFound(err) {
		return diag.NewErrorDiagnostic(fmt.Sprintf("Deployment %q isn't shown by the service", w.name),
			fmt.Sprintf("Deployment %s was created, but the service answers 404 for it. It stays in state; plan again in a minute.\n\n"+
				"Revision: %s", w.DeploymentID, w.Revision.ID))
	}
	return diag.NewErrorDiagnostic(fmt.Sprintf("Cannot follow the rollout of deployment %q", w.name),
		fmt.Sprintf("The service accepted the change, but the status of the rollout can't be read: %s Fix access and check that nothing in "+
			"front of the service answers for it, then plan again: the next apply resumes waiting.\n\nRevision: %s",
			framework.Sentence(err.Error()), w.Revision.ID))
}

// settleTime is how long reads may lag behind the end of a rollout.
const settleTime = 30 * time.Second

// settle reads the deployment until it shows the end of the rollout. The limit of the operation may have passed.
func (w *rolling) settle(ctx context.Context) (*api.Deployment, error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	limit := settleTime
	if w.blind {
		limit = 0
	}
	read, err := poll.Until(ctx, w.Policy, limit, func(error) bool { return true }, func(ctx context.Context) (*api.Deployment, bool, error) {
		read, err := w.Client.FindDeployment(ctx, w.DeploymentID)
		if err == nil && !w.shownBy(*read) {
			err = errors.New("it shows an earlier revision")
		}
		return read, err == nil, err
	})
	return read, err
}

// shownBy reports whether a deployment is as after the rollout, or after a later one.
func (w *rolling) shownBy(read api.Deployment) bool {
	switch newest := read.LatestRevisionID; {
	case newest == nil:
		return w.Revision.ID == ""
	case *newest == w.earlier || slices.Contains(w.Superseded, *newest):
		return false
	case *newest == w.Revision.ID && w.Revision.Status == api.RevisionDeployed:
		return read.ActiveRevisionID != nil && *read.ActiveRevisionID == *newest
	}
	return true
}

// lateNext says what happens after a timeout. Waiting alone may not help an interrupted rollout.
func (w *rolling) lateNext() string {
	if w.Revision.Status != api.RevisionInterrupted {
		return w.late
	}
	return w.late + " If the interrupted rollout doesn't continue, make a new revision with the action " +
		"agentplane_redeploy_revision or in the service."
}

// log returns the end of a failed rollout's log as a paragraph; empty if there is none.
func (w *rolling) log(ctx context.Context) string {
	lines, err := w.LogTail(ctx)
	if err != nil {
		tflog.Debug(ctx, "the log of the failed revision can't be read", map[string]any{"revision_id": w.Revision.ID})
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n\n" + strings.Join(lines, "\n")
}

// What happens next after a failed or slow rollout, unless the deployment is tainted.
const (
	nextRepairs = "Fix the problem and apply again: the next apply makes a new revision."
	nextWaits   = "The rollout may still succeed: the next apply resumes waiting."
)
