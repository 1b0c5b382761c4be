package deployment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// stateWriter stores what is known about a deployment, so that no error loses it.
type stateWriter struct {
	framework.StateWriter
	stored model // What the state has so far, if known.
	plan   model
	prints fingerprints
	client *client.Client
}

// keep stores the planned values, and otherwise what the service returned. The status of a revision is stored only beside its ID.
func (w stateWriter) keep(ctx context.Context, answer api.Deployment, revision api.Revision) diag.Diagnostics {
	latest := framework.PlannedOr(w.plan.LatestRevisionID, framework.String(answer.LatestRevisionID)).ValueString()
	switch {
	case latest == revision.ID:
	case answer.ActiveRevisionID != nil && latest == *answer.ActiveRevisionID:
		revision.Status = api.RevisionDeployed
	default:
		revision.Status = ""
	}
	answered, diags := newModel(ctx, w.plan, answer, revision.Status, w.prints)
	diags.Append(w.set(ctx, kept(ctx, w.plan, answered.withDashboardURL(w.client)))...)
	return diags
}

// kept is what an apply stores.
func kept(ctx context.Context, plan, answered model) model {
	m := framework.KeepPlanned(ctx, plan, answered)
	m.SecretsWO = types.MapNull(types.StringType)
	return m
}

// set stores m, converting only what differs from what is stored.
func (w stateWriter) set(ctx context.Context, m model) diag.Diagnostics {
	diags := framework.WriteChanged(ctx, w.State.Schema, &w.State.Raw, w.stored, m)
	diags.Append(w.WriteIdentity(ctx, m)...)
	return diags
}

// What happens next after a failed or slow rollout, unless the deployment is tainted.
const (
	nextRepairs = "Fix the problem and apply again: the next apply makes a new revision."
	nextWaits   = "The rollout may still succeed: the next apply resumes waiting."
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

// changeTo returns the change from state to plan, with as few requests as possible.
func (r *deploymentResource) changeTo(ctx context.Context, plan, state model, prints fingerprints) (change, diag.Diagnostics) {
	spec, diags := r.currentSpec(ctx, plan, state)
	c, d := newChange(plan, state, prints, spec)
	diags.Append(d...)
	c.commands = r.dialect().CommandsMakeRevision
	if variables, known := plan.variables(); r.dialect().KeepsLastSecret && known && len(variables)+len(state.EnvironmentNames.Elements()) == 0 {
		c.environment = reasons{} // The service ignores an empty environment, and it is empty already.
	}
	references, d := r.currentReferences(ctx, plan, state)
	diags.Append(d...)
	c.references, d = referencesReasons(ctx, plan.SecretReferences, state.SecretReferences, references)
	diags.Append(d...)
	return c, diags
}

// write sends the change, if there is anything to send, and returns the environment that it sent. Tiers are set first, so
// that they apply to the revision that the rest may make.
func (r *deploymentResource) write(
	ctx context.Context, limit time.Duration, plan, state model, prints fingerprints, c change,
) (proof *rollout.Proof, secrets []api.Secret, diags diag.Diagnostics) {
	id := state.ID.ValueString()
	if c.tiers.any() {
		tiered, err := r.writer(state.WorkspaceID).setTiers(ctx, limit, id, c.tiers, false)
		if err != nil {
			return nil, nil, r.notUpdated(ctx, plan.failure(setTier), state, err)
		}
		if !c.write() {
			return tiered, nil, nil
		}
	}
	if !c.write() {
		current, err := r.In(state.WorkspaceID).GetDeployment(ctx, id)
		if err != nil {
			return nil, nil, r.notUpdated(ctx, plan.failure("update"), state, err)
		}
		return &rollout.Proof{Deployment: *current}, nil, nil
	}
	proof, err := r.writer(state.WorkspaceID).patch(ctx, limit, id, c, func(before api.Deployment) (api.DeploymentPatchRequest, bool) {
		patch, d := plan.toPatch(ctx, c, before, prints)
		var sent bool
		secrets, sent = patch.Secrets.Get()
		if sent && len(secrets) == 0 && len(state.EnvironmentNames.Elements()) > 0 && r.dialect().KeepsLastSecret {
			d.Append(lastVariable(plan)) // Unknown during the plan.
		}
		diags.Append(d...)
		return patch, !d.HasError()
	})
	if err != nil && !errors.Is(err, errNotBuilt) {
		diags.Append(r.notUpdated(ctx, plan.failure("update", secrets...), state, err)...)
	}
	return proof, secrets, diags
}
