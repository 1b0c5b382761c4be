package deployment

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// Tiers have separate operations, which make no revision and aren't part of a creation.

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

// setTiers sets the tiers in which the deployment differs from t. atOnce doesn't wait for another change in progress.
func (w writer) setTiers(ctx context.Context, limit time.Duration, id string, t tiers, atOnce bool) (*rollout.Proof, error) {
	return rollout.Write{
		Client: w.client, Policy: w.policy, DeploymentID: id, Method: http.MethodPatch, AtOnce: atOnce,
		Send: func(ctx context.Context, before api.Deployment) (answer *api.Deployment, err error) {
			if tier := differing(t.deployment, before.DeploymentTier); tier.Present {
				if answer, err = w.client.PatchDeploymentTier(ctx, id, *tier.Value); err != nil {
					return answer, err
				}
				before.ComputeTier, before.DatabaseTier = nil, nil // Set along with it.
			}
			parts := api.DeploymentResourceTiersUpdateRequest{
				ComputeTier: differing(t.compute, before.ComputeTier), DatabaseTier: differing(t.database, before.DatabaseTier),
			}
			if parts.ComputeTier.Present || parts.DatabaseTier.Present {
				return w.client.PatchResourceTiers(ctx, id, parts)
			}
			return answer, nil
		},
		Differs: func(d api.Deployment) bool {
			return differing(t.deployment, d.DeploymentTier).Present || differing(t.compute, d.ComputeTier).Present || differing(t.database, d.DatabaseTier).Present
		},
	}.Do(ctx, limit)
}

// differing returns the tier to send, if any.
func differing(wanted types.String, current *api.DeploymentTier) api.Optional[api.DeploymentTier] {
	if wanted.Equal(framework.String(current)) {
		return api.Optional[api.DeploymentTier]{}
	}
	return framework.ToOptional[api.DeploymentTier](wanted)
}

// tierCreated sets the tiers of a deployment that has just been created, and returns those that have to wait for its first
// rollout, which may count as a change in progress. Failing to set a tier is no reason to replace the deployment, so it is
// only a warning; the next plan shows the difference.
func (r *deploymentResource) tierCreated(ctx context.Context, plan, config model, created *api.Deployment, limit time.Duration) (tiers, diag.Diagnostics) {
	t := tiers{config.DeploymentTier, config.ComputeTier, config.DatabaseTier} // In the plan, those that aren't configured are unknown.
	if !t.any() {
		return t, nil
	}
	w := r.writer(plan.WorkspaceID)
	err := w.shown(ctx, created.ID)
	if err == nil {
		_, err = w.setTiers(ctx, limit, created.ID, t, true)
	}
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
	proof, err := r.writer(k.plan.WorkspaceID).setTiers(ctx, limit, w.DeploymentID, t, false)
	if err != nil {
		return k.plan.warnOfTiers(err)
	}
	return k.keep(ctx, proof.Deployment, w.Revision)
}

func (m model) warnOfTiers(err error) diag.Diagnostics {
	return framework.AsWarnings(m.failure(setTier).Diagnostics(err), "The deployment was created without it. The next plan "+
		"shows the difference, and the next apply sets the tier.")
}
