package deployment

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// finishCreate follows the first revision, and sets the tiers that had to wait for it. Terraform replaces a deployment whose creation
// returned an error, so it returns one only for a rollout that provably failed or is late; the user chooses what happens to those.
func (r *deploymentResource) finishCreate(
	ctx context.Context, k stateWriter, created api.Deployment, later tiers, start time.Time, limit time.Duration,
) (seen bool, _ diag.Diagnostics) {
	keeps := k.plan.OnFailedCreate.ValueString() == onFailedCreateKeep
	w := r.follow(k.plan, created)
	w.creation, w.spent = true, r.Now().Sub(start)
	w.next = "Fix the problem and apply again: the next apply replaces the deployment. To repair it instead, run " +
		"`terraform untaint` with its address first, or set on_failed_create to \"keep\"."
	w.late = "The rollout may still succeed. To make the next apply resume waiting, run `terraform untaint` with its " +
		"address first; otherwise it replaces the deployment." + projectStays(r.dialect(), k.plan)
	if keeps {
		w.next, w.late = nextRepairs, nextWaits
	}
	diags := r.finish(ctx, k, w, k.plan.WaitForDeployed.ValueBool(), created, limit)
	if later.any() && !diags.HasError() {
		diags.Append(r.tierDeployed(ctx, k, w, r.left(start, limit), later)...)
	}
	if keeps || !w.taints {
		diags = framework.AsWarnings(diags)
	}
	return w.seen, diags
}

func (r *deploymentResource) finishUpdate(
	ctx context.Context, k stateWriter, c change, proof rollout.Proof, start time.Time, limit time.Duration,
) diag.Diagnostics {
	answer := proof.Deployment
	w := r.follow(k.plan, answer)
	w.spent = r.Now().Sub(start)
	w.next, w.late = nextRepairs, nextWaits
	switch {
	case c.revision():
		w.Revision, w.earlier = proof.Revision, proof.Earlier
		return append(foreign(k.plan, c, proof), r.finish(ctx, k, w, c.waits(), answer, limit)...)
	case c.resume:
		w.Revision = api.Revision{ID: k.plan.LatestRevisionID.ValueString()}
		return r.finish(ctx, k, w, true, answer, limit)
	}
	return k.keep(ctx, answer, w.Revision)
}

// foreign reports what others changed right before an update, which the update may have undone: it sends the whole environment and the
// whole resource_spec as it read them.
func foreign(plan model, c change, proof rollout.Proof) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, revision := range proof.Foreign {
		lost := "Compare that change with the configuration."
		if c.variables() || c.resourceSpec.any() {
			lost = "This update sent the whole environment or resource_spec, so that change may be lost: check it, and make it again if it is."
		}
		diags.AddWarning(fmt.Sprintf("Deployment %q was changed at the same time", plan.Name.ValueString()),
			fmt.Sprintf("Another user or process made revision %s while this update was being sent. %s", revision.ID, lost))
	}
	return diags
}

func (r *deploymentResource) follow(plan model, answer api.Deployment) *rolling {
	w := &rolling{name: answer.Name, Rollout: rollout.Rollout{
		Client: r.In(plan.WorkspaceID), Policy: r.Policy(), DeploymentID: answer.ID,
	}}
	if answer.LatestRevisionID != nil {
		w.Revision.ID = *answer.LatestRevisionID
	}
	return w
}

// finish waits for the revision if configured, reads the deployment back and stores it, however the rollout ended.
func (r *deploymentResource) finish(ctx context.Context, k stateWriter, w *rolling, wait bool, answer api.Deployment, limit time.Duration) diag.Diagnostics {
	var diags diag.Diagnostics
	if wait && w.Revision.ID != "" {
		// A build log may also contain values that aren't from the configuration.
		diags.Append(w.wait(framework.MaskSecrets(ctx, answer.Secrets), limit)...)
	}
	read, err := w.settle(ctx)
	switch {
	case err == nil:
		answer, w.seen, w.deleted = *read, true, w.deleted || read.Status.BeingDeleted()
	case !w.blind && (ctx.Err() == nil || w.Revision.Status == api.RevisionDeployed):
		diags.AddWarning("Deployment not read back", fmt.Sprintf("The service accepted the change, but reading "+
			"deployment %q afterwards doesn't show it: %s. The next plan refreshes it.", answer.Name, strings.TrimSuffix(err.Error(), ".")))
		fallthrough
	default:
		if w.Revision.ID != "" {
			answer.LatestRevisionID = &w.Revision.ID
		}
		if w.Revision.Status == api.RevisionDeployed {
			answer.ActiveRevisionID = &w.Revision.ID
		}
	}
	if w.deleted {
		diags.AddError(fmt.Sprintf("Deployment %q is being deleted", w.name), fmt.Sprintf("Another user or process deleted deployment %s "+
			"during its rollout. Plan again once it is gone.", w.DeploymentID))
	}
	switch newest := answer.LatestRevisionID; {
	case newest == nil:
	case *newest != w.Revision.ID:
		diags.AddWarning(fmt.Sprintf("Deployment %q has a newer revision", answer.Name), fmt.Sprintf("A push or another user made revision "+
			"%s after revision %s of this apply. It may not match the configuration: check the next plan.", *newest, w.Revision.ID))
		w.Revision = api.Revision{ID: *newest}
		w.Glance(ctx)
	case !wait:
		w.Glance(ctx)
	}
	diags.Append(k.keep(ctx, answer, w.Revision)...)
	return diags
}
