package api

import "encoding/json"

// Source says where the code of a deployment comes from.
type Source string

// The sources of a deployment.
const (
	// SourceGitHost builds a repository of a git hosting integration. Cloud only.
	SourceGitHost Source = "git_host"
	// SourceExternalContainer runs a container image. Self-hosted only.
	SourceExternalContainer Source = "external_container"
)

// Sources lists every Source.
var Sources = []Source{SourceGitHost, SourceExternalContainer}

// DeploymentStatus is the state of a deployment as a whole; the rollout's own state is a RevisionStatus.
type DeploymentStatus string

// The states of a deployment. The service may report younger ones.
const (
	DeploymentAwaitingDatabase DeploymentStatus = "AWAITING_DATABASE"
	DeploymentReady            DeploymentStatus = "READY"
	DeploymentUnused           DeploymentStatus = "UNUSED"
	DeploymentAwaitingDelete   DeploymentStatus = "AWAITING_DELETE"
	DeploymentUnknown          DeploymentStatus = "UNKNOWN"
)

// DeploymentStatuses lists every DeploymentStatus.
var DeploymentStatuses = []DeploymentStatus{
	DeploymentAwaitingDatabase, DeploymentReady, DeploymentUnused, DeploymentAwaitingDelete, DeploymentUnknown,
}

// Deployment is what the service answers to a create, a read and a patch.
type Deployment struct {
	Name                 string               `json:"name"`
	Source               Source               `json:"source"`
	SourceConfig         SourceConfig         `json:"source_config"`
	SourceRevisionConfig SourceRevisionConfig `json:"source_revision_config"`
	// Secrets carries values in clear, masked, or is empty, as the installation decides.
	Secrets []Secret `json:"secrets"`
	ID      string   `json:"id"`
	// CreatedAt and UpdatedAt are date-times, kept as the service writes them.
	CreatedAt        string           `json:"created_at"`
	UpdatedAt        string           `json:"updated_at"`
	Status           DeploymentStatus `json:"status"`
	LatestRevisionID *string          `json:"latest_revision_id"`
	// ActiveRevisionID is the revision that is serving; nil until the first one is deployed.
	ActiveRevisionID *string `json:"active_revision_id"`
	ImageVersion     *string `json:"image_version"`
}

// DeploymentCreateRequest is the body of POST /v2/deployments. All five fields are required.
type DeploymentCreateRequest struct {
	Name                 string                      `json:"name"`
	Source               Source                      `json:"source"`
	SourceConfig         SourceConfigRequest         `json:"source_config"`
	SourceRevisionConfig SourceRevisionConfigRequest `json:"source_revision_config"`
	// Secrets must not be nil: null is refused, an empty list is fine.
	Secrets []Secret `json:"secrets"`
}

// DeploymentPatchRequest is the body of PATCH /v2/deployments/{deployment_id}. Absent and null both keep what is there.
// A non-null field of SourceRevisionConfig, non-null Secrets or a non-null SourceConfig.ResourceSpec makes a revision.
type DeploymentPatchRequest struct {
	// Name and Source can't be changed; the service refuses a different value.
	Name                 Optional[string]                      `json:"name,omitzero"`
	Source               Optional[Source]                      `json:"source,omitzero"`
	SourceConfig         Optional[SourceConfigRequest]         `json:"source_config,omitzero"`
	SourceRevisionConfig Optional[SourceRevisionConfigRequest] `json:"source_revision_config,omitzero"`
	// Secrets replaces the whole set.
	Secrets Optional[[]Secret] `json:"secrets,omitzero"`
}

// Secret is one environment variable of the deployment's container.
type Secret struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// ValueOmitted says that an answer had no value, which is not the same as an empty one.
	ValueOmitted bool `json:"-"`
}

// UnmarshalJSON tells a value that is null or absent from an empty one.
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
