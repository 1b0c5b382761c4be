package deployment

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

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
	c.references = referencesReasons(plan.SecretReferences, state.SecretReferences, references)
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
		return &rollout.Proof{Deployment: *current, Before: *current}, nil, nil
	}
	proof, err := r.writer(state.WorkspaceID).patch(ctx, limit, id, c, func(before api.Deployment) (api.DeploymentPatchRequest, bool) {
		patch, d := plan.toPatch(c, before, prints)
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
