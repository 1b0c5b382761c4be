package client

import (
	"context"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// PatchDeploymentTier sets the fixed tier of a deployment. It makes no revision. Its results are those of PatchDeployment.
func (c *Client) PatchDeploymentTier(ctx context.Context, id string, tier api.DeploymentTier) (*api.Deployment, error) {
	return c.patchTiers(ctx, id, "deployment-tier", api.DeploymentTierUpdateRequest{DeploymentTier: tier})
}

// PatchResourceTiers changes the tiers of compute and database that are set in req. It makes no revision. Its results are those of
// PatchDeployment.
func (c *Client) PatchResourceTiers(
	ctx context.Context, id string, req api.DeploymentResourceTiersUpdateRequest,
) (*api.Deployment, error) {
	return c.patchTiers(ctx, id, "resource-tiers", req)
}

func (c *Client) patchTiers(ctx context.Context, id, operation string, body any) (*api.Deployment, error) {
	return c.changeDeployment(ctx, id, request{
		method: http.MethodPatch, path: pathTo(deploymentsPath, id, operation), body: body, repeatable: true, // It is idempotent.
	})
}
