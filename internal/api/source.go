package api

import (
	"regexp"
	"strings"
)

// UUID is a string that the service parses as a UUID and otherwise refuses with a 422. Only requests use it: an ID in a
// response has a tag with its format.
type UUID string

// DeploymentType is the tier of a git_host deployment.
type DeploymentType string

// The tiers of a git_host deployment.
const (
	DeploymentTypeDevFree DeploymentType = "dev_free"
	DeploymentTypeDev     DeploymentType = "dev"
	DeploymentTypeProd    DeploymentType = "prod"
)

// DeploymentTypes lists every DeploymentType of the specification.
var DeploymentTypes = []DeploymentType{DeploymentTypeDevFree, DeploymentTypeDev, DeploymentTypeProd}

// ExtendedDeploymentTypes lists the additional types of extended dialects.
var ExtendedDeploymentTypes = []DeploymentType{"dev_zero", "dev_free_zero"}

// SourceConfig has the settings of the deployment as a whole. Changing them makes no revision, except for ResourceSpec.
type SourceConfig struct {
	IntegrationID  *string         `json:"integration_id" format:"uuid"`
	RepoURL        *string         `json:"repo_url"`
	DeploymentType *DeploymentType `json:"deployment_type"`
	BuildOnPush    *bool           `json:"build_on_push"`
	CustomURL      *string         `json:"custom_url"`
	ResourceSpec   *ResourceSpec   `json:"resource_spec"`
	ListenerID     *string         `json:"listener_id" format:"uuid"`
	ListenerConfig *ListenerConfig `json:"listener_config"`
	InstallCommand *string         `json:"install_command"`
	BuildCommand   *string         `json:"build_command"`
	// TemplateID is for internal_template only.
	TemplateID *string `json:"template_id,omitzero" dialect:"extended"`
	// RepoBranch is the tracked branch; git_host only.
	RepoBranch *string `json:"repo_branch,omitzero" dialect:"extended"`
}

// SourceConfigRequest is SourceConfig in a create or a patch.
type SourceConfigRequest struct {
	// git_host only; can't be changed by a patch.
	IntegrationID Optional[UUID] `json:"integration_id,omitzero"`
	// git_host only; can't be changed by a patch.
	RepoURL Optional[string] `json:"repo_url,omitzero"`
	// git_host only; can't be changed by a patch.
	DeploymentType Optional[DeploymentType] `json:"deployment_type,omitzero"`
	// git_host only; must be false when repo_ref is a tag.
	BuildOnPush Optional[bool] `json:"build_on_push,omitzero"`
	// external_container only; the service sets it for git_host.
	CustomURL Optional[string] `json:"custom_url,omitzero"`
	// external_container only; replaces the whole spec and makes a revision.
	ResourceSpec Optional[ResourceSpec] `json:"resource_spec,omitzero"`
	// external_container only; can't be changed by a patch.
	ListenerID Optional[UUID] `json:"listener_id,omitzero"`
	// external_container only; can't be changed by a patch.
	ListenerConfig Optional[ListenerConfig] `json:"listener_config,omitzero"`
	// JavaScript deployments only.
	InstallCommand Optional[string] `json:"install_command,omitzero"`
	// JavaScript deployments only.
	BuildCommand Optional[string] `json:"build_command,omitzero"`
	// internal_template only.
	TemplateID Optional[string] `json:"template_id,omitzero" dialect:"extended"`
}

// ListenerConfig sets where a listener runs a deployment. external_container only.
type ListenerConfig struct {
	// K8sNamespace applies to listeners of compute type k8s and can't be changed by a patch.
	K8sNamespace *string `json:"k8s_namespace,omitzero"`
}

// SourceRevisionConfig has the settings of one revision: in a deployment, those of the latest.
type SourceRevisionConfig struct {
	RepoRef         *string `json:"repo_ref"`
	GraphConfigPath *string `json:"graph_config_path"`
	ImageURI        *string `json:"image_uri"`
	// RepoCommitSHA is the commit that was built; git_host only.
	RepoCommitSHA *string `json:"repo_commit_sha"`
	// SourceTarballPath is for internal_source only.
	SourceTarballPath *string `json:"source_tarball_path,omitzero" dialect:"extended"`
	// DeepagentsVersion is that of the package deepagents among TrackedPackages, which clients record as name:version.
	DeepagentsVersion *string  `json:"deepagents_version,omitzero" dialect:"extended"`
	TrackedPackages   []string `json:"tracked_packages,omitzero" dialect:"extended"`
}

// SourceRevisionConfigRequest is SourceRevisionConfig in a create or a patch, where any non-null field makes a revision.
type SourceRevisionConfigRequest struct {
	// RepoRef is a bare branch name or a full tag ref, refs/tags/…; git_host only.
	RepoRef Optional[string] `json:"repo_ref,omitzero"`
	// GraphConfigPath is the path of the graph configuration file; git_host only.
	GraphConfigPath Optional[string] `json:"graph_config_path,omitzero"`
	// ImageURI is the container image; external_container only.
	ImageURI Optional[string] `json:"image_uri,omitzero"`
	// SourceTarballPath is the path of an upload; internal_source only.
	SourceTarballPath Optional[string] `json:"source_tarball_path,omitzero" dialect:"extended"`
}

var sha256Digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// CompleteDigest reports whether the reference of an image has no SHA-256 digest or one of 64 digits. No registry finds another one.
func CompleteDigest(image string) bool {
	_, digest, found := strings.Cut(image, "@sha256:")
	return !found || sha256Digest.MatchString(digest)
}
