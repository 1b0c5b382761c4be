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
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// rolling is the rollout of a deployment's revision, and what to say about it.
type rolling struct {
	rollout.Rollout
	// name is the deployment's.
	name string
	// next is what to do about a failure, late what comes of a rollout that takes too long.
	next, late string
	// spent is how much of the limit the write has taken that made the revision.
	spent time.Duration
	// gone says that the deployment vanished.
	gone bool
}

// wait returns when the revision is deployed, or with diagnostics that say why not. Being told to stop is a warning:
// Terraform then exits with an error of its own, but doesn't taint what may yet become healthy.
func (w *rolling) wait(ctx context.Context, limit time.Duration) diag.Diagnostics {
	start := w.now()
	w.Look = func(ctx context.Context, before, now api.Revision, err error) {
		if err == nil && now.ID == before.ID && now.Status != before.Status {
			tflog.Info(ctx, "revision status changed", map[string]any{
				"deployment_id": w.DeploymentID, "revision_id": now.ID, "status": string(now.Status),
				"previous_status": string(before.Status), "elapsed": rounded(w.spent + w.now().Sub(start)).String(),
			})
		}
	}
	err := w.Wait(ctx, max(0, limit-w.spent))
	var diags diag.Diagnostics
	for _, id := range w.Superseded {
		diags.AddWarning(fmt.Sprintf("Revision of deployment %q was superseded", w.name),
			fmt.Sprintf("Revision %s was not deployed, because a newer one was made meanwhile, by a push or by somebody else. "+
				"The wait went on for the newer one, which may not be what the configuration says: look at the next plan.", id))
	}
	var failure *rollout.FailedError
	switch {
	case err == nil:
	case errors.As(err, &failure):
		diags.AddError(fmt.Sprintf("Rollout of deployment %q failed", w.name),
			fmt.Sprintf("%s\n\nRevision: %s · status: %s · after %s%s\n\n%s", client.Mask(ctx, failure.Error()), w.Revision.ID,
				w.Revision.Status, rounded(w.spent+w.now().Sub(start)), w.log(ctx), w.next))
	case errors.Is(err, rollout.ErrGone):
		w.gone = true
		diags.Append(w.vanished())
	case errors.Is(err, context.Canceled):
		diags.AddWarning(fmt.Sprintf("Stopped waiting for deployment %q", w.name),
			fmt.Sprintf("The rollout goes on without being watched. The next plan takes it up.\n\nRevision: %s · last status: "+
				"%s · after %s", w.Revision.ID, w.Status(), rounded(w.spent+w.now().Sub(start))))
	case errors.Is(err, context.DeadlineExceeded):
		diags.AddError(fmt.Sprintf("Deployment %q was not rolled out in time", w.name),
			fmt.Sprintf("%s\n\nRevision: %s · last status: %s · after %s of %s\n\n%s To wait longer, raise `timeouts`.",
				w.LastProblem(err), w.Revision.ID, w.Status(), rounded(w.spent+w.now().Sub(start)), rounded(limit), w.lateNext()))
	default:
		diags.Append(framework.Failure{Summary: fmt.Sprintf("Cannot follow the rollout of deployment %q", w.name)}.Diagnostics(err)...)
	}
	return diags
}

// lateNext is what comes of a rollout that took too long. Waiting alone may not help one that was interrupted.
func (w *rolling) lateNext() string {
	if w.Revision.Status != api.RevisionInterrupted {
		return w.late
	}
	return w.late + " If nothing takes it up again, make a new revision with the action agentplane_redeploy_revision, or at the " +
		"service."
}

// log is the end of the log of a rollout that failed, as a paragraph; empty where there is none to be had.
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

func (w *rolling) vanished() diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Deployment %q vanished", w.name),
		fmt.Sprintf("Deployment %s was deleted while its revision %s was waited for, by somebody else. Apply again to create "+
			"it anew, unless it should be gone.", w.DeploymentID, w.Revision.ID))
}

func (w *rolling) now() time.Time { return w.Policy.Now() }

func rounded(d time.Duration) time.Duration { return d.Round(time.Second) }

// removed says in which way a deployment that was asked for doesn't exist any more; empty if it does.
func removed(deployment *api.Deployment, err error) string {
	switch {
	case deployment == nil && client.IsNotFound(err):
		return "doesn't exist any more"
	case deployment != nil && deployment.Status.BeingDeleted():
		return "is being deleted"
	}
	return ""
}
