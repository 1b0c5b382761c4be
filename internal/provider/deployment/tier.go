package deployment

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// Tiers have operations of their own, which make no revision and which a creation has no part in.

// setTier is how a failure names the operation.
const setTier = "set the tier of"

// tiers are those to set: null where nothing is, unknown where a plan can't tell.
type tiers struct{ deployment, compute, database types.String }

func (t tiers) any() bool { return anySet(t.deployment, t.compute, t.database) }

// tierChanges are the tiers in which planned differs from state.
func tierChanges(planned, state model) tiers {
	t := tiers{
		deployment: changed(planned.DeploymentTier, state.DeploymentTier, types.StringNull()),
		compute:    changed(planned.ComputeTier, state.ComputeTier, types.StringNull()),
		database:   changed(planned.DatabaseTier, state.DatabaseTier, types.StringNull()),
	}
	if !t.deployment.IsNull() { // It sets the other two, so those that are configured have to be set after it.
		t.compute, t.database = planned.ComputeTier, planned.DatabaseTier
	}
	return t
}

// withTiers makes those unknown that aren't configured and that the service may set when another one changes.
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

// withoutTiers plans none where the service has none.
func (m model) withoutTiers(config model) model {
	for _, tier := range []struct {
		planned    *types.String
		configured types.String
	}{{&m.DeploymentTier, config.DeploymentTier}, {&m.ComputeTier, config.ComputeTier}, {&m.DatabaseTier, config.DatabaseTier}} {
		if !tier.configured.IsUnknown() {
			*tier.planned = framework.PlannedOr(*tier.planned, types.StringNull())
		}
	}
	return m
}

// setTiers sets the tiers in which current differs from t, and returns what the deployment is then.
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

// differing is the tier to send, if any.
func differing(wanted types.String, current *api.DeploymentTier) api.Optional[api.DeploymentTier] {
	if wanted.Equal(framework.String(current)) {
		return api.Optional[api.DeploymentTier]{}
	}
	return framework.ToOptional[api.DeploymentTier](wanted)
}

// updateTiers sets the tiers as the deployment has them by then, and sits out another change in progress.
func (w writer) updateTiers(ctx context.Context, limit time.Duration, id string, t tiers) (*api.Deployment, error) {
	return poll.Until(ctx, w.policy, limit, inConflict, func(ctx context.Context) (*api.Deployment, bool, error) {
		current, err := w.client.GetDeployment(ctx, id)
		if err == nil {
			current, err = w.setTiers(ctx, current, t)
		}
		return current, err == nil, err
	})
}

// tierCreated sets the tiers of a deployment that has just been created, and returns those that have to wait until its first
// rollout is through: that one may count as a change in progress. Tiers that can't be set are no reason to replace what was
// created, so that they are warned about; the next plan finds them missing.
func (r *deploymentResource) tierCreated(ctx context.Context, plan model, created *api.Deployment) (tiers, diag.Diagnostics) {
	t := tierChanges(plan, emptyModel())
	_, err := r.writer(plan.WorkspaceID).setTiers(ctx, created, t)
	switch {
	case err == nil:
		return tiers{}, nil
	case inConflict(err) && plan.WaitForDeployed.ValueBool():
		tflog.Info(ctx, "the tier can't be set while the first revision is being rolled out", map[string]any{"deployment_id": created.ID})
		return t, nil
	}
	return tiers{}, plan.warnOfTiers(err)
}

// tierDeployed sets the tiers that had to wait.
func (r *deploymentResource) tierDeployed(ctx context.Context, k stateWriter, w *rolling, limit time.Duration, t tiers) diag.Diagnostics {
	deployment, err := r.writer(k.plan.WorkspaceID).updateTiers(ctx, limit, w.DeploymentID, t)
	if err != nil {
		return k.plan.warnOfTiers(err)
	}
	return k.keep(ctx, *deployment, w.Revision.Status)
}

func (m model) warnOfTiers(err error) diag.Diagnostics {
	var warnings diag.Diagnostics
	for _, d := range m.failure(setTier).Diagnostics(err) {
		warnings.AddWarning(d.Summary(), d.Detail()+
			"\n\nThe deployment was created without it. The next plan shows the difference, and the next apply sets the tier.")
	}
	return warnings
}
