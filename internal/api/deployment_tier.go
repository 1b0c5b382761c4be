package api

// DeploymentTier is a fixed amount of resources. Responses may have other values.
type DeploymentTier string

// The tiers.
const (
	TierServerlessS DeploymentTier = "SERVERLESS_S"
	TierServerlessM DeploymentTier = "SERVERLESS_M"
	TierServerlessL DeploymentTier = "SERVERLESS_L"
	TierDedicatedS  DeploymentTier = "DEDICATED_S"
	TierDedicatedM  DeploymentTier = "DEDICATED_M"
	TierDedicatedL  DeploymentTier = "DEDICATED_L"
)

// DeploymentTiers lists every DeploymentTier, and DedicatedTiers those that a database can have.
var (
	DeploymentTiers = []DeploymentTier{TierServerlessS, TierServerlessM, TierServerlessL, TierDedicatedS, TierDedicatedM, TierDedicatedL}
	DedicatedTiers  = []DeploymentTier{TierDedicatedS, TierDedicatedM, TierDedicatedL}
)

// DeploymentTierUpdateRequest is the body of PATCH /v2/deployments/{deployment_id}/deployment-tier.
type DeploymentTierUpdateRequest struct {
	DeploymentTier DeploymentTier `json:"deployment_tier"`
}

// DeploymentResourceTiersUpdateRequest is the body of PATCH /v2/deployments/{deployment_id}/resource-tiers. Absent and null keep a
// tier; one of them must be sent.
type DeploymentResourceTiersUpdateRequest struct {
	ComputeTier  Optional[DeploymentTier] `json:"compute_tier,omitzero"`
	DatabaseTier Optional[DeploymentTier] `json:"database_tier,omitzero"`
}

// FreeDeploymentCountResponse has the number of free deployments.
type FreeDeploymentCountResponse struct {
	Count int64 `json:"count"`
}
