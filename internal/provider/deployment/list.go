package deployment

import (
	"context"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

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
