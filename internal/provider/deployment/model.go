package deployment

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// model is the resource in configuration, plan and state. The nested attributes stay framework types here, because they
// may be unknown as a whole in a plan.
type model struct {
	dataModel
	WorkspaceID          types.String   `tfsdk:"workspace_id"`
	Environment          types.Map      `tfsdk:"environment"`
	Secrets              types.Map      `tfsdk:"secrets"`
	SecretsWO            types.Map      `tfsdk:"secrets_wo"` // In the configuration only.
	SecretsWOVersion     types.Int64    `tfsdk:"secrets_wo_version"`
	EnvironmentOwnership types.String   `tfsdk:"environment_ownership"`
	Triggers             types.Map      `tfsdk:"triggers"`
	WaitForDeployed      types.Bool     `tfsdk:"wait_for_deployed"`
	OnFailedCreate       types.String   `tfsdk:"on_failed_create"`
	DeletionProtection   types.Bool     `tfsdk:"deletion_protection"`
	LatestRevisionStatus types.String   `tfsdk:"latest_revision_status"`
	RevisionReasons      types.Object   `tfsdk:"revision_reasons"`
	DeleteTracingProject types.Bool     `tfsdk:"delete_tracing_project"`
	Timeouts             timeouts.Value `tfsdk:"timeouts"`
}

// dataModel is what resources and data sources have in common: what the service reports, with only the names of the environment
// variables.
type dataModel struct {
	ID                   types.String `tfsdk:"id"`
	Name                 types.String `tfsdk:"name"`
	Source               types.String `tfsdk:"source"`
	SourceConfig         types.Object `tfsdk:"source_config"`
	SourceRevisionConfig types.Object `tfsdk:"source_revision_config"`
	EnvironmentNames     types.Set    `tfsdk:"environment_names"`
	CreatedAt            types.String `tfsdk:"created_at"`
	UpdatedAt            types.String `tfsdk:"updated_at"`
	Status               types.String `tfsdk:"status"`
	LatestRevisionID     types.String `tfsdk:"latest_revision_id"`
	ActiveRevisionID     types.String `tfsdk:"active_revision_id"`
	ImageVersion         types.String `tfsdk:"image_version"`
	DisplayName          types.String `tfsdk:"display_name"`
	SecretReferences     types.Map    `tfsdk:"secret_references"`
	Shareable            types.Bool   `tfsdk:"shareable"`
	RouteThroughGateway  types.Bool   `tfsdk:"route_through_gateway"`
	DeploymentTier       types.String `tfsdk:"deployment_tier"`
	ComputeTier          types.String `tfsdk:"compute_tier"`
	DatabaseTier         types.String `tfsdk:"database_tier"`
	URL                  types.String `tfsdk:"url"`
	DashboardURL         types.String `tfsdk:"dashboard_url"`
	TenantID             types.String `tfsdk:"tenant_id"`
	TracingProjectID     types.String `tfsdk:"tracing_project_id"`
}

// ResourceIdentity implements framework.Identified.
func (m model) ResourceIdentity() any {
	return framework.Identity{WorkspaceID: m.WorkspaceID, ID: m.ID}
}

type sourceConfigModel struct {
	IntegrationID  types.String `tfsdk:"integration_id"`
	RepoURL        types.String `tfsdk:"repo_url"`
	DeploymentType types.String `tfsdk:"deployment_type"`
	BuildOnPush    types.Bool   `tfsdk:"build_on_push"`
	CustomURL      types.String `tfsdk:"custom_url"`
	ResourceSpec   types.Object `tfsdk:"resource_spec"`
	ListenerID     types.String `tfsdk:"listener_id"`
	ListenerConfig types.Object `tfsdk:"listener_config"`
	InstallCommand types.String `tfsdk:"install_command"`
	BuildCommand   types.String `tfsdk:"build_command"`
	TemplateID     types.String `tfsdk:"template_id"`
	RepoBranch     types.String `tfsdk:"repo_branch"`
}

type listenerConfigModel struct {
	K8sNamespace types.String `tfsdk:"k8s_namespace"`
}

type sourceRevisionConfigModel struct {
	RepoRef           types.String `tfsdk:"repo_ref"`
	GraphConfigPath   types.String `tfsdk:"graph_config_path"`
	ImageURI          types.String `tfsdk:"image_uri"`
	RepoCommitSHA     types.String `tfsdk:"repo_commit_sha"`
	SourceTarballPath types.String `tfsdk:"source_tarball_path"`
}

// secretReferenceModel is a variable that is set from a Kubernetes secret.
type secretReferenceModel struct {
	SecretName types.String `tfsdk:"secret_name"`
	SecretKey  types.String `tfsdk:"secret_key"`
}

func (m model) sourceConfig() sourceConfigModel {
	return framework.FromObject[sourceConfigModel](m.SourceConfig)
}

// withSourceConfig returns m with a changed source_config, unless that is unknown as a whole.
func (m model) withSourceConfig(edit func(*sourceConfigModel)) model {
	if m.SourceConfig.IsUnknown() {
		return m
	}
	sourceConfig := m.sourceConfig()
	edit(&sourceConfig)
	m.SourceConfig = framework.ToObject(attributeTypes("source_config"), sourceConfig)
	return m
}

// specRecord is the record of a resource_spec that the service has accepted.
func (m model) specRecord() resourcespec.Record {
	return resourcespec.NewRecord(m.sourceConfig().ResourceSpec)
}

func (m model) sourceRevisionConfig() sourceRevisionConfigModel {
	return framework.FromObject[sourceRevisionConfigModel](m.SourceRevisionConfig)
}

// known reports whether an object and everything in it are known.
func known(object types.Object) bool {
	return !object.IsUnknown() && !slices.ContainsFunc(slices.Collect(maps.Values(object.Attributes())), attr.Value.IsUnknown)
}
