package deployment

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// Tiers have separate operations, which make no revision and aren't part of a creation.

// setTier is how a failure names the operation.
const setTier = "set the tier of"

// tiers are the tiers to set: null if there is nothing to set, unknown if a plan can't tell.
type tiers struct{ deployment, compute, database types.String }

func (t tiers) any() bool { return anySet(t.deployment, t.compute, t.database) }

// tierChanges are the tiers in which planned differs from state.
func tierChanges(planned, state model) tiers {
	t := tiers{
		deployment: changed(planned.DeploymentTier, state.DeploymentTier, types.StringNull()),
		compute:    changed(planned.ComputeTier, state.ComputeTier, types.StringNull()),
		database:   changed(planned.DatabaseTier, state.DatabaseTier, types.StringNull()),
	}
	if !t.deployment.IsNull() { // It sets the other two, so configured ones have to be set after it.
		t.compute, t.database = planned.ComputeTier, planned.DatabaseTier
	}
	return t
}

// withTiers makes tiers unknown that aren't configured and that the service may change along with another one.
func (m model) withTiers(config, state model) model {
	whole := !m.DeploymentTier.Equal(state.DeploymentTier)
	parts := !m.ComputeTier.Equal(state.ComputeTier) || !m.DatabaseTier.Equal(state.DatabaseTier)
	if parts && config.DeploymentTier.IsNull() {
		m.DeploymentTier = types.StringUnknown()
	}
	if whole && config.ComputeTier.IsNull() {
		m.ComputeTier = types.StringUnknown()
	}
	if whole && config.DatabaseTier.IsNull() {
		m.DatabaseTier = types.StringUnknown()
	}
	return m
}

// setTiers sets the tiers in which current differs from t, and returns the updated deployment.
func (w writer) setTiers(ctx context.Context, current *api.Deployment, t tiers) (*api.Deployment, error) {
	var err error
	if tier := differing(t.deployment, current.DeploymentTier); tier.Present {
		if current, err = w.client.PatchDeploymentTier(ctx, current.ID, *tier.Value); err != nil {
			return nil, err
		}
	}
	parts := api.DeploymentResourceTiersUpdateRequest{
		ComputeTier: differing(t.compute, current.ComputeTier), DatabaseTier: differing(t.database, current.DatabaseTier),
	}
	if parts.ComputeTier.Present || parts.DatabaseTier.Present {
		return w.client.PatchResourceTiers(ctx, current.ID, parts)
	}
	return current, nil
}

// differing returns the tier to send, if any.
func differing(wanted types.String, current *api.DeploymentTier) api.Optional[api.DeploymentTier] {
	if wanted.Equal(framework.String(current)) {
		return api.Optional[api.DeploymentTier]{}
	}
	return framework.ToOptional[api.DeploymentTier](wanted)
}

// updateTiers sets the tiers that still differ, and waits for another change in progress.
func (w writer) updateTiers(ctx context.Context, limit time.Duration, id string, t tiers) (*api.Deployment, error) {
	return poll.Until(ctx, w.policy, limit, client.IsConflict, func(ctx context.Context) (*api.Deployment, bool, error) {
		current, err := w.client.GetDeployment(ctx, id)
		if err == nil {
			current, err = w.setTiers(ctx, current, t)
		}
		return current, err == nil, err
	})
}

// tierCreated sets the tiers of a deployment that has just been created, and returns those that have to wait for its first
// rollout, which may count as a change in progress. Failing to set a tier is no reason to replace the deployment, so it is
// only a warning; the next plan shows the difference.
func (r *deploymentResource) tierCreated(ctx context.Context, plan model, created *api.Deployment) (tiers, diag.Diagnostics) {
	t := tierChanges(plan, emptyModel())
	_, err := r.writer(plan.WorkspaceID).setTiers(ctx, created, t)
	switch {
	case err == nil:
		return tiers{}, nil
	case client.IsConflict(err) && plan.WaitForDeployed.ValueBool():
		tflog.Info(ctx, "setting the tier after the first rollout", map[string]any{"deployment_id": created.ID})
		return t, nil
	}
	return tiers{}, plan.warnOfTiers(err)
}

// tierDeployed sets the tiers that had to wait for the first rollout.
func (r *deploymentResource) tierDeployed(ctx context.Context, k stateWriter, w *rolling, limit time.Duration, t tiers) diag.Diagnostics {
	deployment, err := r.writer(k.plan.WorkspaceID).updateTiers(ctx, limit, w.DeploymentID, t)
	if err != nil {
		return k.plan.warnOfTiers(err)
	}
	return k.keep(ctx, *deployment, w.Revision.Status)
}

func (m model) warnOfTiers(err error) diag.Diagnostics {
	return framework.AsWarnings(m.failure(setTier).Diagnostics(err), "The deployment was created without it. The next plan "+
		"shows the difference, and the next apply sets the tier.")
}
