package deployment

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// finishCreate follows the first revision, and sets the tiers that had to wait for it. Terraform replaces a deployment whose creation
// returned an error, so it returns one only for a rollout that provably failed or is late; the user chooses what happens to those. A
// deployment that was deleted meanwhile isn't stored.
func (r *deploymentResource) finishCreate(
	ctx context.Context, k stateWriter, w *rolling, created api.Deployment, later tiers, start time.Time, limit time.Duration,
) (seen bool, _ diag.Diagnostics) {
	keeps := k.plan.OnFailedCreate.ValueString() == onFailedCreateKeep
	w.creation = true
	w.next = "Fix the problem and apply again: the next apply replaces the deployment. To repair it instead, run " +
		"`terraform untaint` with its address first, or set on_failed_create to \"keep\"."
	w.late = "The rollout may still succeed. To make the next apply resume waiting, run `terraform untaint` with its " +
		"address first; otherwise it replaces the deployment." + projectStays(r.dialect(), k.plan)
	if keeps {
		w.next, w.late = nextRepairs, nextWaits
	}
	if later.any() {
		k.config.DeploymentTier, k.config.ComputeTier, k.config.DatabaseTier = types.StringNull(), types.StringNull(), types.StringNull()
	}
	diags := r.finish(ctx, k, w, k.plan.WaitForDeployed.ValueBool(), created, limit)
	if w.deleted {
		k.State.RemoveResource(ctx)
		return false, diags
	}
	if later.any() && !diags.HasError() {
		left := r.left(start, limit)
		limited, cancel := context.WithTimeout(ctx, left)
		defer cancel()
		diags.Append(r.tierDeployed(limited, k, w, left, later)...)
	}
	if keeps || !w.taints {
		diags = framework.AsWarnings(diags)
	}
	return w.seen, diags
}

func (r *deploymentResource) finishUpdate(ctx context.Context, k stateWriter, proof rollout.Proof, start time.Time, limit time.Duration) diag.Diagnostics {
	w := r.follow(k.plan, proof.Deployment, start)
	w.Shown = true
	w.next, w.late = nextRepairs, nextWaits
	c := k.change
	switch {
	case c.revision():
		w.Revision, w.earlier = proof.Revision, framework.String(proof.Before.LatestRevisionID).ValueString()
		return r.finish(ctx, k, w, c.waits(), proof.Deployment, limit)
	case c.resume:
		w.Revision = api.Revision{ID: k.plan.LatestRevisionID.ValueString()}
		return r.finish(ctx, k, w, true, proof.Deployment, limit)
	}
	return k.settled(ctx, nil, proof.Deployment, w.Revision)
}

func (r *deploymentResource) follow(plan model, answer api.Deployment, start time.Time) *rolling {
	w := &rolling{name: answer.Name, spent: r.Now().Sub(start), Rollout: rollout.Rollout{
		Client: r.In(plan.WorkspaceID), Policy: r.Policy(), DeploymentID: answer.ID,
	}}
	if answer.LatestRevisionID != nil {
		w.Revision.ID = *answer.LatestRevisionID
	}
	return w
}

// finish waits for the revision if configured, reads the deployment back and stores it, however the rollout ended. ctx doesn't end at the
// limit.
func (r *deploymentResource) finish(ctx context.Context, k stateWriter, w *rolling, wait bool, answer api.Deployment, limit time.Duration) diag.Diagnostics {
	var diags diag.Diagnostics
	if wait && w.Revision.ID != "" {
		// A build log may also contain values that aren't from the configuration.
		diags.Append(w.wait(framework.MaskSecrets(ctx, answer.Secrets), limit)...)
	}
	if w.deleted {
		return append(diags, w.gone())
	}
	read, err := w.settle(ctx)
	if w.deleted = w.Shown && client.IsNotFound(err); w.deleted { // For as long as reads may lag behind, both the read and a list said so.
		return append(diags, w.gone())
	}
	if err != nil {
		if !w.blind && (ctx.Err() == nil || w.Revision.Status == api.RevisionDeployed) {
			diags.AddWarning("Deployment not read back", fmt.Sprintf("The service accepted the change, but reading "+
				"deployment %q afterwards doesn't show it: %s The next plan refreshes it.", answer.Name, framework.Sentence(err.Error())))
		}
		diags.Append(k.stale(answer, new([]string))...)
		if w.Revision.ID != "" {
			answer.LatestRevisionID = &w.Revision.ID
		}
		if w.Revision.Status == api.RevisionDeployed {
			answer.ActiveRevisionID = &w.Revision.ID
		}
		return append(diags, k.keep(ctx, answer, w.Revision)...)
	}
	w.seen = true
	if newest := read.LatestRevisionID; newest != nil && *newest != w.Revision.ID {
		w.Superseded = append(w.Superseded, w.Revision.ID)
		w.Revision, w.taints = api.Revision{ID: *newest}, false
	}
	if w.Revision.Status == "" && !w.blind {
		w.Glance(ctx)
	}
	return append(diags, k.settled(ctx, w.Superseded, *read, w.Revision)...)
}
