package deployment

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
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

// toCreate converts the whole deployment to a create request. Everything in m is known, including the write-only map.
func (m model) toCreate() (api.DeploymentCreateRequest, diag.Diagnostics) {
	var diags diag.Diagnostics
	sourceConfig := m.sourceConfig()
	requestConfig := sourceConfig.toRequest()
	if !sourceConfig.ResourceSpec.IsNull() {
		var spec api.ResourceSpec
		spec, _, diags = resourcespec.ToAPI(sourceConfig.ResourceSpec)
		requestConfig.ResourceSpec = api.Some(spec)
	}
	request := api.DeploymentCreateRequest{
		Name:                 m.Name.ValueString(),
		Source:               api.Source(m.Source.ValueString()),
		SourceConfig:         requestConfig,
		SourceRevisionConfig: m.sourceRevisionConfig().toRequest(),
		Secrets:              m.toSecrets(),
		SecretReferences:     m.toSecretReferences(),
	}
	if uploaded(m.Source) {
		request.SourceRevisionConfig = api.SourceRevisionConfigRequest{} // The service refuses it at creation.
	}
	request.RouteThroughGateway = toOptionalBool(m.RouteThroughGateway)
	if m.Shareable.ValueBool() {
		request.Shareable = api.Some(true)
	}
	return request, diags
}

// toPatch converts the change c to one patch request that leads to m. Everything in m is known. current is what the
// service has; it is used only where a write replaces more than m manages.
func (m model) toPatch(c change, current api.Deployment, prints fingerprints) (api.DeploymentPatchRequest, diag.Diagnostics) {
	var patch api.DeploymentPatchRequest
	var diags diag.Diagnostics
	sourceConfig := c.sourceConfig.toRequest()
	if c.resourceSpec.any() {
		var spec api.ResourceSpec
		spec, diags = resourcespec.Merge(current.SourceConfig.ResourceSpec, m.sourceConfig().ResourceSpec, c.removedSpec...)
		sourceConfig.ResourceSpec = api.Some(spec)
	}
	if sourceConfig != (api.SourceConfigRequest{}) {
		patch.SourceConfig = api.Some(sourceConfig)
	}
	if c.variables() {
		carried, d := m.carried(current.Secrets, prints)
		diags.Append(d...)
		patch.Secrets = api.Some(m.toSecrets(carried...))
	}
	patch.DisplayName = framework.ToOptional[string](c.displayName)
	patch.RouteThroughGateway = toOptionalBool(c.gateway)
	if c.references.any() {
		patch.SecretReferences = m.toSecretReferences()
	}
	sourceRevisionConfig := c.sourceRevisionConfig.toRequest()
	if c.again.any() && !c.variables() && !c.resourceSpec.any() && sourceRevisionConfig == (api.SourceRevisionConfigRequest{}) {
		// The only way to make a revision of what is already deployed is to send it again.
		sourceRevisionConfig = m.sourceRevisionConfig().toRequest()
	}
	if sourceRevisionConfig != (api.SourceRevisionConfigRequest{}) {
		patch.SourceRevisionConfig = api.Some(sourceRevisionConfig)
	}
	return patch, diags
}

// toRequest leaves resource_spec out: whether all of it is sent, and merged with what, depends on the request.
func (c sourceConfigModel) toRequest() api.SourceConfigRequest {
	request := framework.Expand[api.SourceConfigRequest](c)
	if !c.ListenerConfig.IsNull() && !c.ListenerConfig.IsUnknown() {
		placed := framework.FromObject[listenerConfigModel](c.ListenerConfig)
		request.ListenerConfig = api.Some(api.ListenerConfig{K8sNamespace: placed.K8sNamespace.ValueStringPointer()})
	}
	return request
}

func (c sourceRevisionConfigModel) toRequest() api.SourceRevisionConfigRequest {
	return framework.Expand[api.SourceRevisionConfigRequest](c)
}

// toOptionalBool is absent for null and unknown.
func toOptionalBool(value types.Bool) api.Optional[bool] {
	if value.IsUnknown() {
		return api.Optional[bool]{}
	}
	return api.FromPtr(value.ValueBoolPointer())
}

// newModel converts the deployment that the service returned. prior, a state or a plan, decides what is managed, and
// supplies what the service doesn't return: hidden values, and settings that some installations don't echo. The result has
// no unknown values.
func newModel(prior model, answer api.Deployment, latest api.RevisionStatus, prints fingerprints) model {
	priorConfig := prior.sourceConfig()
	// An import knows only the ID.
	imported := prior.Name.IsNull()
	m := framework.Flatten(prior, answer) // Settings that aren't sent to the service stay.
	m.SecretsWO = types.MapNull(types.StringType)
	m.SourceConfig = newSourceConfig(priorConfig, answer, imported)
	m.SourceRevisionConfig = framework.ToObject(attributeTypes("source_revision_config"),
		newSourceRevisionConfig(prior.sourceRevisionConfig(), priorConfig.RepoBranch, answer))
	m.LatestRevisionStatus = framework.StringOrNull(latest)
	m.TracingProjectID = framework.String(answer.TracerSessionID)
	m.SecretReferences = newSecretReferences(prior.SecretReferences, answer.SecretReferences)
	if !prints.Unreported || len(answer.Secrets) > 0 {
		m.Environment = newVariables(prior.Environment, answer.Secrets)
		m.Secrets = newVariables(prior.Secrets, answer.Secrets)
		m.EnvironmentNames = prior.newEnvironmentNames(answer.Secrets, prints)
	}
	if imported {
		m.WaitForDeployed = types.BoolValue(true)
		m.OnFailedCreate = types.StringValue(onFailedCreateTaint)
		m.DeletionProtection = types.BoolValue(false)
		m.DeleteTracingProject = types.BoolValue(false)
		m.EnvironmentOwnership = types.StringValue(ownershipAll)
	}
	return m
}

func newSourceConfig(prior sourceConfigModel, deployment api.Deployment, imported bool) types.Object {
	answer := deployment.SourceConfig
	// Some services return defaults for settings that don't apply.
	if !slices.Contains(inCloud, deployment.Source) {
		answer.DeploymentType = nil
	}
	if !slices.Contains(repositories, deployment.Source) {
		answer.BuildOnPush = nil
	}
	m := framework.Flatten(sourceConfigModel{}, answer)
	m.ResourceSpec = resourcespec.FromAPI(prior.ResourceSpec, answer.ResourceSpec, imported)
	m.ListenerConfig = newListenerConfig(prior.ListenerConfig, answer.ListenerConfig)
	// Some installations don't echo these. They can't be cleared, so null never means gone.
	m.InstallCommand = framework.AnsweredOr(m.InstallCommand, prior.InstallCommand, types.StringNull())
	m.BuildCommand = framework.AnsweredOr(m.BuildCommand, prior.BuildCommand, types.StringNull())
	m.TemplateID = framework.AnsweredOr(m.TemplateID, prior.TemplateID, types.StringNull())
	return framework.ToObject(attributeTypes("source_config"), m)
}

func newListenerConfig(prior types.Object, answer *api.ListenerConfig) types.Object {
	listenerConfigTypes := framework.NestedTypes(attributeTypes("source_config")["listener_config"])
	if answer != nil && answer.K8sNamespace != nil {
		return framework.ToObject(listenerConfigTypes, listenerConfigModel{K8sNamespace: framework.String(answer.K8sNamespace)})
	}
	if prior.IsNull() || prior.IsUnknown() {
		return types.ObjectNull(listenerConfigTypes)
	}
	return prior
}

func newSourceRevisionConfig(prior sourceRevisionConfigModel, branch types.String, deployment api.Deployment) sourceRevisionConfigModel {
	answer := deployment.SourceRevisionConfig
	if !slices.Contains(images, deployment.Source) {
		answer.ImageURI = nil // The built image isn't a setting.
	}
	m := framework.Flatten(sourceRevisionConfigModel{}, answer)
	m.RepoRef = framework.String(trackedRef(prior.RepoRef, branch, deployment))
	m.RepoCommitSHA = framework.String(builtCommit(answer))
	m.SourceTarballPath = framework.AnsweredOr(m.SourceTarballPath, prior.SourceTarballPath, types.StringNull())
	return m
}

// withWholeSpec shows everything that the service has in resource_spec, managed or not.
func (m model) withWholeSpec(answer api.Deployment) model {
	if spec := answer.SourceConfig.ResourceSpec; spec != nil {
		m = m.withSourceConfig(func(c *sourceConfigModel) { c.ResourceSpec = resourcespec.Whole(*spec) })
	}
	return m
}

// withDashboardURL adds the URL of the deployment in the service's UI.
func (m model) withDashboardURL(c *client.Client) model {
	m.DashboardURL = types.StringNull()
	if c != nil {
		m.DashboardURL = framework.StringOrNull(c.DashboardURL(m.TenantID.ValueString(), m.ID.ValueString()))
	}
	return m
}

// commit matches the IDs of commits, SHA-1 and SHA-256.
var commit = regexp.MustCompile(`^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$`)

// trackedRef is the ref that a deployment was made from. Some services return the commit that they resolved it to, with
// the branch beside it. Nothing shows which tag a commit was resolved from, and older installations don't report the
// branch either: the known ref is then kept. reported is the branch in the last response, if any: if the service now reports only a commit,
// the branch is no longer tracked.
func trackedRef(prior, reported types.String, answer api.Deployment) *string {
	ref, branch := answer.SourceRevisionConfig.RepoRef, answer.SourceConfig.RepoBranch
	if branch != nil {
		return branch
	}
	resolved := ref != nil && commit.MatchString(*ref)
	if resolved && prior.ValueString() != "" && (isTag(prior) || reported.ValueString() == "") {
		return prior.ValueStringPointer()
	}
	return ref
}

func isTag(ref types.String) bool { return strings.HasPrefix(ref.ValueString(), "refs/tags/") }

// builtCommit is the commit that the newest revision was built from.
func builtCommit(answer api.SourceRevisionConfig) *string {
	if answer.RepoCommitSHA == nil && answer.RepoRef != nil && commit.MatchString(*answer.RepoRef) {
		return answer.RepoRef
	}
	return answer.RepoCommitSHA
}
