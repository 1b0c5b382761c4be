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

// stateWriter stores what is known about a deployment, so that no error loses it.
type stateWriter struct {
	framework.StateWriter
	stored model // What the state has so far, if known.
	plan   model
	prints fingerprints
	client *client.Client
}

// keep stores the planned values, and otherwise what the service returned.
func (w stateWriter) keep(ctx context.Context, answer api.Deployment, latest api.RevisionStatus) diag.Diagnostics {
	answered, diags := newModel(ctx, w.plan, answer, latest, w.prints)
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
	nextRepairs = "Correct the cause and apply again: the next apply makes a new revision."
	nextWaits   = "The rollout may still succeed: the next apply resumes waiting."
)

// finishCreate follows the first revision, and sets the tiers that had to wait for it. The user chooses what happens to a
// deployment whose first revision fails.
func (r *deploymentResource) finishCreate(
	ctx context.Context, k stateWriter, created api.Deployment, later tiers, start time.Time, limit time.Duration,
) diag.Diagnostics {
	keeps := k.plan.OnFailedCreate.ValueString() == onFailedCreateKeep
	w := r.follow(k.plan, created)
	w.spent = r.Now().Sub(start)
	w.next = "Correct the cause and apply again: the next apply replaces the deployment. To repair it instead, run " +
		"`terraform untaint` with its address first, or set on_failed_create to \"keep\"."
	w.late = "The rollout may still succeed. To make the next apply resume waiting, run `terraform untaint` with its " +
		"address first; otherwise it replaces the deployment." + projectStays(r.dialect(), k.plan)
	if keeps {
		w.next, w.late = nextRepairs, nextWaits
	}
	diags := r.finish(ctx, k, w, k.plan.WaitForDeployed.ValueBool(), created, limit)
	if w.gone {
		k.State.RemoveResource(ctx) // Nothing is left to taint.
		return diags
	}
	if later.any() && !diags.HasError() {
		diags.Append(r.tierDeployed(ctx, k, w, r.left(start, limit), later)...)
	}
	if keeps {
		return framework.AsWarnings(diags)
	}
	return diags
}

func (r *deploymentResource) finishUpdate(
	ctx context.Context, k stateWriter, c change, answer api.Deployment, start time.Time, limit time.Duration,
) diag.Diagnostics {
	w := r.follow(k.plan, answer)
	w.spent = r.Now().Sub(start)
	w.next, w.late = nextRepairs, nextWaits
	if !c.revision() && !c.resume {
		return k.keep(ctx, answer, "")
	}
	return r.finish(ctx, k, w, c.waits(), answer, limit)
}

func (r *deploymentResource) follow(plan model, answer api.Deployment) *rolling {
	w := &rolling{name: answer.Name, Rollout: rollout.Rollout{
		Client: r.In(plan.WorkspaceID), Policy: r.policy(), DeploymentID: answer.ID,
	}}
	if answer.LatestRevisionID != nil {
		w.Revision.ID = *answer.LatestRevisionID
	}
	return w
}

// finish waits for the revision if configured, reads the deployment back and stores it, however the rollout ended.
func (r *deploymentResource) finish(ctx context.Context, k stateWriter, w *rolling, wait bool, answer api.Deployment, limit time.Duration) diag.Diagnostics {
	var diags diag.Diagnostics
	switch {
	case w.Revision.ID == "":
		return k.keep(ctx, answer, "")
	case wait:
		// A build log may also contain values that aren't from the configuration.
		diags.Append(w.wait(framework.MaskSecrets(ctx, answer.Secrets), limit)...)
	default:
		w.Glance(ctx)
	}
	if w.gone {
		return diags
	}
	read, err := w.Client.FindDeployment(ctx, answer.ID)
	switch {
	case removed(read, err) != "": // A revision can be deployed even so.
		w.gone = true
		diags.Append(w.vanished())
		return diags
	case err == nil:
		answer = *read
	case w.Revision.Status == api.RevisionDeployed:
		// The rollout succeeded: an error here would replace a healthy deployment.
		answer.ActiveRevisionID = &w.Revision.ID
		diags.AddWarning("Deployment not read back", fmt.Sprintf("Deployment %q was deployed, but reading it afterwards "+
			"failed: %s. The next plan refreshes it.", answer.Name, err))
	}
	diags.Append(k.keep(ctx, answer, w.Revision.Status)...)
	return diags
}

// changeTo returns the change from state to plan, with as few requests as possible.
func (r *deploymentResource) changeTo(ctx context.Context, plan, state model, prints fingerprints) (change, diag.Diagnostics) {
	spec, diags := r.currentSpec(ctx, plan, state)
	c, d := newChange(plan, state, prints, spec)
	diags.Append(d...)
	c.commands = r.dialect().CommandsMakeRevision
	references, d := r.currentReferences(ctx, plan, state)
	diags.Append(d...)
	c.references, d = referencesChange(ctx, plan.SecretReferences, state.SecretReferences, references)
	diags.Append(d...)
	return c, diags
}

// write sends the change, if there is anything to send, and returns the environment that it sent. Tiers are set first, so
// that they apply to the revision that the rest may make.
func (r *deploymentResource) write(
	ctx context.Context, limit time.Duration, plan, state model, prints fingerprints, c change,
) (*api.Deployment, []api.Secret, diag.Diagnostics) {
	id := state.ID.ValueString()
	if c.tiers.any() {
		tiered, err := r.writer(state.WorkspaceID).updateTiers(ctx, limit, id, c.tiers)
		if err != nil {
			return nil, nil, plan.failure(setTier).Diagnostics(err)
		}
		if !c.write() {
			return tiered, nil, nil
		}
	}
	if !c.write() {
		current, err := r.In(state.WorkspaceID).GetDeployment(ctx, id)
		if err != nil {
			return nil, nil, plan.failure("update").Diagnostics(err)
		}
		return current, nil, nil
	}
	var (
		diags   diag.Diagnostics
		secrets []api.Secret
	)
	patched, err := r.writer(state.WorkspaceID).patch(ctx, limit, id, c, func(before api.Deployment) (api.DeploymentPatchRequest, bool) {
		patch, d := plan.toPatch(ctx, c, before, prints)
		var sent bool
		secrets, sent = patch.Secrets.Get()
		if sent && len(secrets) == 0 && len(state.EnvironmentNames.Elements()) > 0 && r.dialect().KeepsLastSecret {
			d.Append(lastVariable(plan)) // Unknown during the plan.
		}
		diags.Append(d...)
		return patch, !d.HasError()
	})
	if err != nil {
		diags.Append(plan.failure("update", secrets...).Diagnostics(err)...)
	}
	return patched, secrets, diags
}

// read returns the deployment and the status of its newest revision.
func (r *deploymentResource) read(ctx context.Context, state model) (*api.Deployment, api.RevisionStatus, error) {
	id := state.ID.ValueString()
	deployment, err := r.list(state.WorkspaceID).deployment(ctx, r.In(state.WorkspaceID), id)
	if err != nil {
		return deployment, "", err
	}
	status, err := latestStatus(ctx, r.In(state.WorkspaceID), *deployment)
	return deployment, status, err
}

// latestStatus returns the status of the newest revision, empty if there is none. The active revision is deployed by
// definition, so only another revision needs a request.
func latestStatus(ctx context.Context, c *client.Client, deployment api.Deployment) (api.RevisionStatus, error) {
	if deployment.LatestRevisionID == nil {
		return "", nil
	}
	latest := *deployment.LatestRevisionID
	if deployment.ActiveRevisionID != nil && *deployment.ActiveRevisionID == latest {
		return api.RevisionDeployed, nil
	}
	// Without its status, a pending or failed rollout would look as if nothing were left to do.
	revision, err := c.FindRevision(ctx, deployment.ID, latest)
	if client.IsNotFound(err) {
		return "", nil // Not shown yet, or no longer; the deployment is there all the same.
	}
	if err != nil {
		return "", err
	}
	return revision.Status, nil
}
