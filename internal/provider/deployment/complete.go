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
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// afterCreate is the change that sets what a create request can't.
func (m model) afterCreate() change {
	c := change{displayName: types.StringNull()}
	if !m.DisplayName.IsUnknown() {
		c.displayName = m.DisplayName
	}
	if uploaded(m.Source) {
		c.sourceRevisionConfig = m.sourceRevisionConfig()
	}
	return c
}

// complete sends what the create request could not, and the environment if resend is set. A failure is only a warning: Terraform would
// replace the deployment, and the next plan shows what is missing.
func (r *deploymentResource) complete(
	ctx context.Context, plan model, created api.Deployment, resend bool, limit time.Duration,
) (*api.Deployment, diag.Diagnostics) {
	c := plan.afterCreate()
	if resend {
		c.environment.changes = []string{reasonCreated}
	}
	if !c.write() {
		return &created, nil
	}
	var diags diag.Diagnostics
	w := r.writer(plan.WorkspaceID)
	err := w.shown(ctx, created.ID)
	var proof *rollout.Proof
	if err == nil {
		proof, err = w.patch(ctx, limit, created.ID, c, func(before api.Deployment) (api.DeploymentPatchRequest, bool) {
			patch, d := plan.toPatch(c, before, fingerprints{})
			diags.Append(d...)
			return patch, !d.HasError()
		})
	}
	if err != nil && !errors.Is(err, errNotBuilt) {
		diags.Append(plan.failure("complete").Diagnostics(err)...)
	}
	if err != nil {
		return &created, framework.AsWarnings(diags)
	}
	made := created.LatestRevisionID // A newer one is another user's.
	if c.revision() {
		made = &proof.Revision.ID
		if others := foreign(*proof, created.LatestRevisionID, true); len(others) > 0 {
			diags.AddWarning(fmt.Sprintf("Deployment %q was changed at the same time", created.Name), fmt.Sprintf("Between the creation with "+
				"revision %s and its completion with revision %s, another user or process made %s: that change may be lost. Check it, and make "+
				"it again if it is.", framework.String(created.LatestRevisionID).ValueString(), *made, strings.Join(others, ", ")))
		}
	}
	proof.Deployment.LatestRevisionID = made
	return &proof.Deployment, diags
}
