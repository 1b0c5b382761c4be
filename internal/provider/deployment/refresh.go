package deployment

import (
	"context"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// readOneByOne is how many deployments of a workspace are refreshed with a request each, before the list of all of them
// is taken instead: a plan of a thousand costs tens of requests, and one of a few doesn't list a thousand others.
const readOneByOne = 10

// refresh returns a deployment for a plan, from a list that is no older than the plan if there are many.
func (r *deploymentResource) refresh(ctx context.Context, workspaceID types.String, id string) (*api.Deployment, error) {
	c := r.In(workspaceID)
	reads, _ := framework.Remember(r.Memo, "reads/"+c.WorkspaceID(), func() (*atomic.Int64, error) { return &atomic.Int64{}, nil })
	if reads.Add(1) <= readOneByOne {
		return c.GetDeployment(ctx, id)
	}
	all, err := framework.Remember(r.Memo, "deployments/"+c.WorkspaceID(), func() (map[string]api.Deployment, error) {
		listed, err := client.Collect(c.ListDeployments(ctx, client.DeploymentFilter{}))
		byID := make(map[string]api.Deployment, len(listed))
		for _, deployment := range listed {
			byID[deployment.ID] = deployment
		}
		return byID, err
	})
	if deployment, listed := all[id]; listed && err == nil {
		return &deployment, nil
	}
	return c.GetDeployment(ctx, id) // The list says neither why it failed nor that a deployment is gone for good.
}
