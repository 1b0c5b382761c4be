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

// read reads the deployment of a state, with the status of its newest revision.
func (r *deploymentResource) read(
	ctx context.Context, state model, private framework.PrivateReader,
) (*api.Deployment, api.RevisionStatus, framework.Presence, diag.Diagnostics) {
	failed := state.failure("read").Diagnostics
	found, presence, diags := framework.LookTwice(ctx, &r.ProviderData, private, noun, state.label(), finder(state, failed))
	if presence != framework.Shown || diags.HasError() {
		return nil, "", presence, diags
	}
	status, err := latestStatus(ctx, r.In(state.WorkspaceID), *found)
	if err != nil {
		return nil, "", presence, failed(err)
	}
	return found, status, presence, diags
}

// finder finds the deployment of a state.
func finder(state model, failed func(error) diag.Diagnostics) framework.Look[*api.Deployment] {
	return func(ctx context.Context, p *framework.ProviderData) (*api.Deployment, string, diag.Diagnostics) {
		found, err := listed(ctx, p, p.In(state.WorkspaceID), state.ID.ValueString())
		switch {
		case client.IsNotFound(err):
			return nil, framework.Missing, nil
		case err != nil:
			return nil, "", failed(err)
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
