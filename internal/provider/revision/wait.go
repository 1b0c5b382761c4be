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
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// left returns what remains of the limit.
func (r *redeployment) left() time.Duration { return r.limit - r.elapsed() }

// wait returns when the revision is deployed, or with diagnostics that say why not. A cancellation is only a warning: the rollout may
// still succeed. No diagnostic changes the exit code: of a triggered action, the interrupted apply exits with 1; with -invoke, Terraform
// exits with 0, as the documentation of actions says.
func (r *redeployment) wait(ctx context.Context) diag.Diagnostics {
	err := r.Wait(ctx, r.left())
	name := r.deployment.Name
	var diags diag.Diagnostics
	if len(r.Superseded) > 0 {
		summary := fmt.Sprintf("Revision of deployment %q was superseded", name)
		detail := fmt.Sprintf("Revision %s was not deployed, because a push or another user made revision %s. The action waited for the newer one "+
			"instead", strings.Join(r.Superseded, ", "), r.Revision.ID)
		if err == nil && r.from.ID != "" && !sameSource(r.Revision, r.to) {
			diags.AddError(summary, fmt.Sprintf("%s, which has another source: the deployment isn't rolled back. To roll it back, run the action "+
				"again with revision_id set to %q.", detail, r.to.ID))
		} else {
			diags.AddWarning(summary, detail+": check the deployment.")
		}
	}
	at := fmt.Sprintf("Revision: %s · last status: %s · after %s", r.Revision.ID, r.Status(), r.elapsed())
	var failure *rollout.FailedError
	switch {
	case err == nil:
	case errors.As(err, &failure):
		r.tellLog(ctx)
		diags.AddError(fmt.Sprintf("Rollout of deployment %q failed", name),
			fmt.Sprintf("%s\n\n%s\n\n%s", mask.Text(ctx, failure.Error()), at, r.next()))
	case errors.Is(err, rollout.ErrDeleted):
		diags.AddError(fmt.Sprintf("Deployment %q was deleted", name),
			fmt.Sprintf("Another user or process deleted deployment %s while this action waited for revision %s.", r.DeploymentID, r.Revision.ID))
	case errors.Is(err, context.Canceled):
		diags.AddWarning(fmt.Sprintf("Stopped waiting for deployment %q", name),
			"The rollout continues.\n\n"+at)
	case errors.Is(err, context.DeadlineExceeded):
		diags.AddError(fmt.Sprintf("Deployment %q was not rolled out in time", name),
			fmt.Sprintf("%s\n\n%s of %s\n\nThe rollout may still succeed. To run the action again, set revision_id to %q: what is newest or "+
				"previous may change. To allow more time, raise `timeout`.", r.LastProblem(err), at, r.limit, r.to.ID))
	default:
		diags.Append(framework.Failure{Summary: fmt.Sprintf("Cannot follow the rollout of deployment %q", name)}.Diagnostics(err)...)
	}
	return diags
}

// next is the remedy for a failed rollout.
func (r *redeployment) next() string {
	step := "Fix the problem and run the action again. Or use the action agentplane_roll_back with the revision_id of a " +
		"revision that was deployed before; the data source agentplane_deployment_revisions lists them."
	if r.deployment.ActiveRevisionID == nil {
		return step
	}
	return fmt.Sprintf("Revision %s, which was active before, is still active. %s", *r.deployment.ActiveRevisionID, step)
}

// report shows the user the result of reading the revision.
func (r *redeployment) report(ctx context.Context, before, now api.Revision, err error) {
	switch {
	case err != nil && rollout.Outage(err):
		r.heartbeat("revision %s: reading the status failed, trying again", before.ID)
	case err != nil:
	case now.ID != before.ID:
		r.tell("revision %s: superseded by revision %s", before.ID, now.ID)
	case now.Status != before.Status:
		r.tell("revision %s: %s", now.ID, now.Status)
		tflog.Info(ctx, "revision status changed", map[string]any{
			"deployment_id": r.DeploymentID, "revision_id": now.ID, "status": string(now.Status),
			"previous_status": string(before.Status), "elapsed": r.elapsed().String(),
		})
	default:
		r.heartbeat("revision %s: still %s", now.ID, now.Status)
	}
}

// silence is the longest time without a progress message during a wait.
const silence = 30 * time.Second

func (r *redeployment) tell(format string, args ...any) {
	r.told = r.Policy.Now()
	r.send(fmt.Sprintf(format, args...) + fmt.Sprintf(" (%s)", r.elapsed()))
}

// heartbeat reports only if nothing has been reported for a while.
func (r *redeployment) heartbeat(format string, args ...any) {
	if r.Policy.Now().Sub(r.told) >= silence {
		r.tell(format, args...)
	}
}

func (r *redeployment) elapsed() time.Duration { return poll.Rounded(r.Policy.Now().Sub(r.start)) }

// tellLog reports the last lines of a failed rollout's log, if the service provides them.
func (r *redeployment) tellLog(ctx context.Context) {
	lines, err := r.LogTail(ctx)
	if err != nil {
		r.tell("revision %s: cannot read its log: %s", r.Revision.ID, mask.Text(ctx, err.Error()))
	}
	for _, line := range lines {
		r.send(line)
	}
}
