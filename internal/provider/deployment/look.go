package deployment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

const noun = "deployment"

func (m model) label() string { return framework.Label(m.Name, m.ID) }

// look reads the deployment of a state, with the status of its newest revision.
func (r *deploymentResource) look(ctx context.Context, state model, private framework.PrivateReader) (looked, framework.Presence, diag.Diagnostics) {
	failed := state.failure("read").Diagnostics
	found, presence, diags := framework.LookTwice(ctx, &r.ProviderData, private, noun, state.label(), finding(state, failed))
	if presence != framework.Shown || diags.HasError() {
		return looked{}, presence, diags
	}
	status, err := latestStatus(ctx, r.In(state.WorkspaceID), *found)
	if err != nil {
		return looked{}, presence, failed(err)
	}
	return looked{*found, status}, presence, diags
}

// finding looks for the deployment of a state.
func finding(state model, failed func(error) diag.Diagnostics) framework.Look[*api.Deployment] {
	return func(ctx context.Context, p *framework.ProviderData) (*api.Deployment, string, diag.Diagnostics) {
		deployment, err := listed(ctx, p, p.In(state.WorkspaceID), state.ID.ValueString())
		gone := removed(deployment, err)
		if gone == "" && err != nil {
			return nil, "", failed(err)
		}
		return deployment, gone, nil
	}
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
