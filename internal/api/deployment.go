package api

import (
	"encoding/json"
)

// Source is where the code of a deployment comes from.
type Source string

// The sources of a deployment.
const (
	// SourceGitHost builds a repository of a Git hosting integration. Cloud only.
	SourceGitHost Source = "git_host"
	// SourceExternalContainer runs a container image. Self-hosted only.
	SourceExternalContainer Source = "external_container"
	// SourceInternalContainer runs an image that was pushed to the service's own registry. LangSmith API on the cloud only.
	SourceInternalContainer Source = "internal_container"
	// SourceInternalSource builds an archive that was uploaded to the service. LangSmith API on the cloud only.
	SourceInternalSource Source = "internal_source"
	// SourceInternalTemplate builds a template of the service. LangSmith API on the cloud only.
	SourceInternalTemplate Source = "internal_template"
)

// Sources lists every Source of the specification.
var Sources = []Source{SourceGitHost, SourceExternalContainer}

// ExtendedSources lists the additional sources of extended dialects.
var ExtendedSources = []Source{SourceInternalContainer, SourceInternalSource, SourceInternalTemplate}

// DeploymentStatus is the state of a deployment as a whole; the rollout's own state is a RevisionStatus.
type DeploymentStatus string

// The states of a deployment. The service may return newer ones.
const (
	DeploymentAwaitingDatabase DeploymentStatus = "AWAITING_DATABASE"
	DeploymentReady            DeploymentStatus = "READY"
	DeploymentUnused           DeploymentStatus = "UNUSED"
	DeploymentAwaitingDelete   DeploymentStatus = "AWAITING_DELETE"
	DeploymentUnknown          DeploymentStatus = "UNKNOWN"
	// DeploymentAwaitingFinalDelete comes after DeploymentAwaitingDelete in extended dialects.
	DeploymentAwaitingFinalDelete DeploymentStatus = "AWAITING_FINAL_DELETE"
)

// DeploymentStatuses lists every DeploymentStatus of the specification.
var DeploymentStatuses = []DeploymentStatus{
	DeploymentAwaitingDatabase, DeploymentReady, DeploymentUnused, DeploymentAwaitingDelete, DeploymentUnknown,
}

// BeingDeleted reports whether the deployment is being deleted: it can still be read, but no longer used.
func (s DeploymentStatus) BeingDeleted() bool {
	return s == DeploymentAwaitingDelete || s == DeploymentAwaitingFinalDelete
}

// Deployment is the response to a create, a read and a patch.
type Deployment struct {
	Name                 string               `json:"name"`
	Source               Source               `json:"source"`
	SourceConfig         SourceConfig         `json:"source_config"`
	SourceRevisionConfig SourceRevisionConfig `json:"source_revision_config"`
	// Secrets has the values in clear text, masked values, or nothing, depending on the installation.
	Secrets []Secret `json:"secrets"`
	ID      string   `json:"id" format:"uuid"`
	// CreatedAt and UpdatedAt are date-times in the service's format.
	CreatedAt        string           `json:"created_at"`
	UpdatedAt        string           `json:"updated_at"`
	Status           DeploymentStatus `json:"status"`
	LatestRevisionID *string          `json:"latest_revision_id" format:"uuid"`
	// ActiveRevisionID is the revision that is serving; nil until the first one is deployed.
	ActiveRevisionID *string `json:"active_revision_id" format:"uuid"`
	ImageVersion     *string `json:"image_version"`
	// DisplayName is shown instead of the name.
	DisplayName *string `json:"display_name,omitzero" dialect:"extended"`
	// SecretReferences fill environment variables from Kubernetes secrets.
	SecretReferences []SecretReference `json:"secret_references,omitzero" dialect:"extended"`
	// Shareable means that users outside the organization can be given access.
	Shareable *bool `json:"shareable,omitzero" dialect:"extended"`
	// RouteThroughGateway means that model calls go through the service's gateway.
	RouteThroughGateway *bool `json:"route_through_gateway,omitzero" dialect:"extended"`
	// TenantID is the workspace.
	TenantID *string `json:"tenant_id,omitzero" format:"uuid" dialect:"extended"`
	// TracerSessionID is the tracing project.
	TracerSessionID *string `json:"tracer_session_id,omitzero" format:"uuid" dialect:"extended"`
	// DeploymentTier, ComputeTier and DatabaseTier are the fixed tiers; nil if there is none.
	DeploymentTier *DeploymentTier `json:"deployment_tier,omitzero" dialect:"extended"`
	ComputeTier    *DeploymentTier `json:"compute_tier,omitzero" dialect:"extended"`
	DatabaseTier   *DeploymentTier `json:"database_tier,omitzero" dialect:"extended"`
	// Agent is what the deployment runs, in workspaces with agents.
	Agent *AgentRef `json:"agent,omitzero" dialect:"extended"`
	// URL is the URL of the deployment, in the cloud and once a revision is deployed.
	URL *string `json:"url,omitzero" dialect:"extended"`
}

// DeploymentCreateRequest is the body of POST /v2/deployments. All five fields are required.
type DeploymentCreateRequest struct {
	Name                 string                      `json:"name"`
	Source               Source                      `json:"source"`
	SourceConfig         SourceConfigRequest         `json:"source_config"`
	SourceRevisionConfig SourceRevisionConfigRequest `json:"source_revision_config"`
	// Secrets must not be nil: the service refuses null, but accepts an empty list.
	Secrets []Secret `json:"secrets"`
	// SecretReferences are for external_container only.
	SecretReferences Optional[[]SecretReference] `json:"secret_references,omitzero" dialect:"extended"`
	// Shareable can't be changed by a patch.
	Shareable Optional[bool] `json:"shareable,omitzero" dialect:"extended" null:"refused"`
	// RouteThroughGateway sends model calls through the service's gateway.
	RouteThroughGateway Optional[bool] `json:"route_through_gateway,omitzero" dialect:"extended" null:"refused"`
	// Agent binds the deployment to an agent.
	Agent Optional[AgentRef] `json:"agent,omitzero" dialect:"extended"`
}

// AgentRef is an environment of an agent.
type AgentRef struct {
	AgentID     string           `json:"agent_id"`
	Environment AgentEnvironment `json:"environment"`
}

// AgentEnvironment is an environment of an agent that a deployment can be bound to.
type AgentEnvironment string

// AgentEnvironments lists every AgentEnvironment.
var AgentEnvironments = []AgentEnvironment{"development", "staging", "production"}

// DeploymentPatchRequest is the body of PATCH /v2/deployments/{deployment_id}. Absent and null both keep the current value.
// A non-null field of SourceRevisionConfig, non-null Secrets or a non-null SourceConfig.ResourceSpec makes a revision.
type DeploymentPatchRequest struct {
	// Name and Source can't be changed; the service refuses a different value.
	Name                 Optional[string]                      `json:"name,omitzero"`
	Source               Optional[Source]                      `json:"source,omitzero"`
	SourceConfig         Optional[SourceConfigRequest]         `json:"source_config,omitzero"`
	SourceRevisionConfig Optional[SourceRevisionConfigRequest] `json:"source_revision_config,omitzero"`
	// Secrets replaces the whole set.
	Secrets Optional[[]Secret] `json:"secrets,omitzero"`
	// DisplayName must not be empty, so it can't be cleared. It can't be set by a create.
	DisplayName Optional[string] `json:"display_name,omitzero" dialect:"extended"`
	// SecretReferences replaces the whole set, which an empty list clears.
	SecretReferences Optional[[]SecretReference] `json:"secret_references,omitzero" dialect:"extended"`
	// RouteThroughGateway makes no revision.
	RouteThroughGateway Optional[bool] `json:"route_through_gateway,omitzero" dialect:"extended"`
	// TrackedRepoRef is what new revisions are built from. It makes no revision; git_host only.
	TrackedRepoRef Optional[string] `json:"tracked_repo_ref,omitzero" dialect:"extended"`
	// DeploymentTier is as in DeploymentTierUpdateRequest.
	DeploymentTier Optional[DeploymentTier] `json:"deployment_tier,omitzero" dialect:"extended"`
	// RevisionSource is the source of the revision that the patch makes.
	RevisionSource Optional[Source] `json:"revision_source,omitzero" dialect:"extended"`
	// TrackedPackages are what the vendor's command-line client has found in its upload, as name:version.
	TrackedPackages Optional[[]string] `json:"tracked_packages,omitzero" dialect:"extended"`
}

// Secret is one environment variable of the deployment's container.
type Secret struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// ValueOmitted means that a response had no value, which is different from an empty one.
	ValueOmitted bool `json:"-"`
}

// SecretReference fills an environment variable from a Kubernetes secret in the deployment's namespace.
type SecretReference struct {
	Name string `json:"name"`
	// SecretName is the Kubernetes secret, SecretKey the key in it.
	SecretName string `json:"secret_name"`
	SecretKey  string `json:"secret_key"`
}

// UnmarshalJSON distinguishes a null or absent value from an empty one.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var secret struct {
		Name  string  `json:"name"`
		Value *string `json:"value"`
	}
	if err := json.Unmarshal(data, &secret); err != nil {
		return err
	}
	*s = Secret{Name: secret.Name, ValueOmitted: secret.Value == nil}
	if secret.Value != nil {
		s.Value = *secret.Value
	}
	return nil
}

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
