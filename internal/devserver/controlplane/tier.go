package controlplane

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// patchDeploymentTier gives a deployment a fixed tier, which applies to its compute and, if the tier is dedicated, to its
// database. It makes no revision.
func (s *Service) patchDeploymentTier(c *rest.Call, row store.Deployment, request api.DeploymentTierUpdateRequest) (rest.Answer, error) {
	setTier(&row, request.DeploymentTier)
	return s.storeTiers(c, row)
}

// defaultTier is what a new deployment has. The service documents that its type decides, but not how.
func defaultTier(of api.DeploymentType) api.DeploymentTier {
	if of == api.DeploymentTypeProd {
		return api.TierDedicatedS
	}
	return api.TierServerlessS
}

func setTier(row *store.Deployment, tier api.DeploymentTier) {
	name := string(tier)
	row.DeploymentTier, row.ComputeTier, row.DatabaseTier = &name, &name, nil
	if isDedicated(tier) {
		row.DatabaseTier = &name
	}
}

// patchResourceTiers sets the tiers of compute and database separately. It makes no revision.
func (s *Service) patchResourceTiers(c *rest.Call, row store.Deployment, request api.DeploymentResourceTiersUpdateRequest) (rest.Answer, error) {
	compute, database := request.ComputeTier.Value, request.DatabaseTier.Value
	switch {
	case compute == nil && database == nil:
		return rest.Answer{}, form.Broken("One of 'compute_tier' and 'database_tier' is required.")
	case database != nil && !isDedicated(*database):
		return rest.Answer{}, form.Broken("'database_tier' must be a dedicated tier, such as %s.", api.TierDedicatedS)
	}
	if compute != nil {
		row.ComputeTier = (*string)(compute)
	}
	if database != nil {
		row.DatabaseTier = (*string)(database)
	}
	return s.storeTiers(c, row)
}

func isDedicated(tier api.DeploymentTier) bool { return slices.Contains(api.DedicatedTiers, tier) }

func (s *Service) storeTiers(c *rest.Call, row store.Deployment) (rest.Answer, error) {
	row.UpdatedAt = c.Now
	if err := c.Tx.UpdateDeployment(row); err != nil {
		return rest.Answer{}, err
	}
	return s.respond(c, row)
}

// countFreeDeployments counts the deployments of a free type.
func countFreeDeployments(c *rest.Call) (rest.Answer, error) {
	var count int64
	for _, free := range []string{"dev_free", "dev_free_zero"} {
		rows, err := c.Tx.Deployments(c.WorkspaceID, store.DeploymentFilter{DeploymentType: &free}, store.Page{Limit: -1})
		if err != nil {
			return rest.Answer{}, err
		}
		count += int64(len(rows))
	}
	return rest.OK(api.FreeDeploymentCountResponse{Count: count}), nil
}
