package deployment

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// deploymentResource is the resource. Its methods are in the files of what they do.
type deploymentResource struct{ framework.IdentifiedResource }

// writer sends changes of a deployment, and waits while another change is in progress or while a deployment of the same
// name is still being deleted.
type writer struct {
	client *client.Client
	policy poll.Policy
}

// writer returns the writer for changes. Lists that were read before are stale from then on.
func (r *deploymentResource) writer(workspaceID types.String) writer {
	c := r.In(workspaceID)
	sharedList(&r.ProviderData, c).Close()
	return writer{client: c, policy: r.Policy()}
}

// left returns the remaining part of an operation's time limit, which a single request may already have exceeded.
func (r *deploymentResource) left(start time.Time, limit time.Duration) time.Duration {
	return max(0, limit-r.Now().Sub(start))
}

// dialect is that of the service; nil while the provider's configuration is unknown, which happens only in plans.
func (r *deploymentResource) dialect() *api.Dialect {
	if r.Client == nil {
		return api.Neutral
	}
	return r.Client.Dialect()
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
