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

// rolling is the rollout of a deployment's revision, with the texts of its diagnostics.
type rolling struct {
	rollout.Rollout
	// name is the deployment's.
	name string
	// next is what to do about a failure, late what happens after a timeout.
	next, late string
	// spent is the part of the limit that the write has already used.
	spent time.Duration
	// gone says that the deployment was deleted meanwhile.
	gone bool
}

// wait returns when the revision is deployed, or with diagnostics that say why not. A cancellation is only a warning:
// Terraform then exits with its own error, but doesn't taint a deployment that may still become healthy.
func (w *rolling) wait(ctx context.Context, limit time.Duration) diag.Diagnostics {
	start := w.Policy.Now()
	elapsed := func() time.Duration { return (w.spent + w.Policy.Now().Sub(start)).Round(time.Second) }
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
	for _, id := range w.Superseded {
		diags.AddWarning(fmt.Sprintf("Revision of deployment %q was superseded", w.name),
			fmt.Sprintf("Revision %s was not deployed, because a push or another user made a newer revision. The apply "+
				"waited for the newer one instead, which may not match the configuration: check the next plan.", id))
	}
	var failure *rollout.FailedError
	switch {
	case err == nil:
	case errors.As(err, &failure):
		diags.AddError(fmt.Sprintf("Rollout of deployment %q failed", w.name),
			fmt.Sprintf("%s\n\nRevision: %s · status: %s · after %s%s\n\n%s", client.Mask(ctx, failure.Error()), w.Revision.ID,
				w.Revision.Status, elapsed(), w.log(ctx), w.next))
	case errors.Is(err, rollout.ErrGone):
		w.gone = true
		diags.Append(w.vanished())
	case errors.Is(err, context.Canceled):
		diags.AddWarning(fmt.Sprintf("Stopped waiting for deployment %q", w.name),
			fmt.Sprintf("The rollout continues. The next apply resumes waiting.\n\n"+
				"Revision: %s · last status: %s · after %s", w.Revision.ID, w.Status(), elapsed()))
	case errors.Is(err, context.DeadlineExceeded):
		diags.AddError(fmt.Sprintf("Deployment %q was not rolled out in time", w.name),
			fmt.Sprintf("%s\n\n"+
				"Revision: %s · last status: %s · after %s of %s\n\n"+
				"%s To allow more time, raise `timeouts`.",
				w.LastProblem(err), w.Revision.ID, w.Status(), elapsed(), limit.Round(time.Second), w.lateNext()))
	default:
		diags.Append(framework.Failure{Summary: fmt.Sprintf("Cannot follow the rollout of deployment %q", w.name)}.Diagnostics(err)...)
	}
	return diags
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

func (w *rolling) vanished() diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Deployment %q was deleted during its rollout", w.name),
		fmt.Sprintf("Deployment %s was deleted by another user or process while this apply waited for revision %s. Apply "+
			"again to create it, or remove it from the configuration.", w.DeploymentID, w.Revision.ID))
}

// removed says why a deployment counts as gone; empty if it exists.
func removed(deployment *api.Deployment, err error) string {
	switch {
	case deployment == nil && client.IsNotFound(err):
		return "no longer exists"
	case deployment != nil && deployment.Status.BeingDeleted():
		return "is being deleted"
	}
	return ""
}
