package deployment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

func (m model) label() string { return framework.Label(m.Name, m.ID) }

// read is for a look at whether the deployment of a state is gone; refresh reads it completely.
func read(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	_, gone, diags := finder(*op.State, op.Failed)(ctx, op.ProviderData)
	if gone != "" || diags.HasError() {
		return nil, diags
	}
	return op.State, diags
}

// finder finds the deployment of a state.
func finder(state model, failed func(context.Context, error) diag.Diagnostics) framework.Look[*api.Deployment] {
	return func(ctx context.Context, p *framework.ProviderData) (*api.Deployment, string, diag.Diagnostics) {
		found, err := listed(ctx, p, p.In(state.WorkspaceID), state.ID.ValueString())
		switch {
		case client.IsNotFound(err):
			return nil, framework.Missing, nil
		case err != nil:
			return nil, "", failed(ctx, err)
		case found.Status.BeingDeleted():
			return found, "is being deleted", nil
		}
		return found, "", nil
	}
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
	// Without its status, the next plan would neither wait for a pending rollout nor repair a failed one.
	revision, err := c.FindRevision(ctx, deployment.ID, latest)
	if client.IsNotFound(err) {
		return "", nil // Not shown yet, or no longer; the deployment is there all the same.
	}
	if err != nil {
		return "", err
	}
	return revision.Status, nil
}

// sharedList returns the list of a workspace's deployments for the running plan.
func sharedList(p *framework.ProviderData, c *client.Client) *framework.SharedList[api.Deployment] {
	return framework.Shared(p, "deployments", c, c.PageDeployments, func(d api.Deployment) []string { return []string{d.ID, nameKey(d.Name)} })
}

// nameKey is the key of a name in a list, which no ID equals.
func nameKey(name string) string { return "name " + name }

// listed reads a deployment, if possible from the list.
func listed(ctx context.Context, p *framework.ProviderData, c *client.Client, id string) (*api.Deployment, error) {
	return sharedList(p, c).One(ctx, id, func(whole bool) (*api.Deployment, error) {
		if whole {
			return c.GetDeployment(ctx, id)
		}
		return c.FindDeployment(ctx, id)
	})
}
