package deployment

import (
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

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
	answer, rules := deployment.SourceConfig, sourceConfigModel{}.bySource()
	// Some services return defaults for settings that don't apply.
	if !takes(rules, "deployment_type", deployment.Source) {
		answer.DeploymentType = nil
	}
	if !takes(rules, "build_on_push", deployment.Source) {
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
	if !takes(sourceRevisionConfigModel{}.bySource(), "image_uri", deployment.Source) {
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
