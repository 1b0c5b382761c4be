package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// look reads the deployment of a state, with the status of its newest revision.
func (r *deploymentResource) look(ctx context.Context, state model, private framework.PrivateReader) (looked, framework.Presence, diag.Diagnostics) {
	id := state.ID.ValueString()
	label := fmt.Sprintf("%q (%s)", state.Name.ValueString(), id)
	return framework.LookTwice(ctx, &r.ProviderData, private, "deployment", label, func(ctx context.Context, p *framework.ProviderData) (looked, string, diag.Diagnostics) {
		c := p.In(state.WorkspaceID)
		deployment, err := listed(ctx, p, c, id)
		if gone := removed(deployment, err); gone != "" {
			return looked{}, gone, nil
		}
		if err != nil {
			return looked{}, "", state.failure("read").Diagnostics(err)
		}
		status, err := latestStatus(ctx, c, *deployment)
		if err != nil {
			return looked{}, "", state.failure("read").Diagnostics(err)
		}
		return looked{*deployment, status}, "", nil
	})
}

// looked is a deployment with the status of its newest revision.
type looked struct {
	deployment api.Deployment
	status     api.RevisionStatus
}

// removed says why a deployment counts as gone; empty if it exists.
func removed(deployment *api.Deployment, err error) string {
	switch {
	case deployment == nil && client.IsNotFound(err):
		return framework.Missing
	case deployment != nil && deployment.Status.BeingDeleted():
		return "is being deleted"
	}
	return ""
}

// latestStatus returns the status of the newest revision, empty if it isn't shown. The active revision is deployed by
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
