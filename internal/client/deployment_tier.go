package client

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// PatchDeploymentTier sets the fixed tier of a deployment. It makes no revision.
func (c *Client) PatchDeploymentTier(ctx context.Context, id string, tier api.DeploymentTier) (*api.Deployment, error) {
	return c.patchTiers(ctx, id, "deployment-tier", api.DeploymentTierUpdateRequest{DeploymentTier: tier})
}

// PatchResourceTiers changes the tiers of compute and database that are set in req. It makes no revision.
func (c *Client) PatchResourceTiers(
	ctx context.Context, id string, req api.DeploymentResourceTiersUpdateRequest,
) (*api.Deployment, error) {
	return c.patchTiers(ctx, id, "resource-tiers", req)
}

// patchTiers only accepts a response with the tiers that were sent. After a lost reply, the request is sent again, because it is
// idempotent.
func (c *Client) patchTiers(ctx context.Context, id, operation string, body any) (*api.Deployment, error) {
	expected := isDeployment(id)
	deployment, _, err := fetch(ctx, c, request{
		method: http.MethodPatch, path: pathTo(deploymentsPath, id, operation), body: body, repeatable: true,
	}, func(d *api.Deployment) error {
		if err := expected(d); err != nil {
			return err
		}
		if at, different := mismatch(body, d); different {
			return errors.New("the change was accepted, but the deployment still has another " + strings.TrimPrefix(at, "."))
		}
		return nil
	})
	return deployment, err
}
