package deployment

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// validateConfig checks rules across several attributes. A rule whose values are unknown is skipped.
func validateConfig(ctx context.Context, config model) diag.Diagnostics {
	var diags diag.Diagnostics
	sourceConfig, revisionConfig := config.sourceConfig(), config.sourceRevisionConfig()
	// The schema already reports an invalid source and missing objects.
	if slices.Contains(slices.Concat(ownImages, inCloud), api.Source(config.Source.ValueString())) {
		diags.Append(validateBySource(config.Source.ValueString(), config.bySource())...)
	}
	diags.Append(validateListener(config, sourceConfig)...)
	diags.Append(validateTag(sourceConfig, revisionConfig)...)
	diags.Append(validateOneMap(config)...)
	diags.Append(validateReferences(config)...)
	if framework.ChecksValues(ctx) {
		diags.Append(resourcespec.Validate(sourceConfig.ResourceSpec)...)
	}
	return diags
}

func validateBySource(source string, rules []sourceRule) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, rule := range rules {
		switch at := rule.at; {
		case !slices.Contains(rule.sources, api.Source(source)) && !rule.value.IsNull() && !rule.value.IsUnknown():
			diags.AddAttributeError(at, "Attribute of another source", fmt.Sprintf("%s applies only to deployments of source %s, but "+
				"source is %q. Remove it, or change source.", at, either(rule.sources), source))
		case slices.Contains(rule.required, api.Source(source)) && rule.value.IsNull():
			diags.AddAttributeError(at, "Missing "+at.String(), fmt.Sprintf("A deployment of source %q requires %s.", source, at))
		}
	}
	return diags
}

func validateTag(sourceConfig sourceConfigModel, revisionConfig sourceRevisionConfigModel) diag.Diagnostics {
	ref := revisionConfig.RepoRef.ValueString()
	if !sourceConfig.BuildOnPush.ValueBool() || !strings.HasPrefix(ref, "refs/tags/") {
		return nil
	}
	at := path.Root("source_config").AtName("build_on_push")
	return framework.ErrorAt(at, "Tag with build_on_push", "%s is true, but source_revision_config.repo_ref is the tag %q, and tags don't receive "+
		"pushes. Set it to false, or track a branch.", at, ref)
}

func validateListener(config model, sourceConfig sourceConfigModel) diag.Diagnostics {
	placed := sourceConfig.ListenerConfig
	if slices.Contains(inCloud, api.Source(config.Source.ValueString())) || config.SourceConfig.IsUnknown() || placed.IsNull() || placed.IsUnknown() || !sourceConfig.ListenerID.IsNull() {
		return nil
	}
	at := path.Root("source_config").AtName("listener_config")
	return framework.ErrorAt(at, "listener_config without listener_id", "%s is set, but source_config.listener_id is not. Set it to the ID of a "+
		"listener, for example from the data source agentplane_listener.", at)
}

// validateOneMap refuses names that are set in two maps, and values that are only a mask.
func validateOneMap(config model) diag.Diagnostics {
	var diags diag.Diagnostics
	first := map[string]string{}
	for _, attribute := range slices.Sorted(maps.Keys(config.variableMaps())) {
		for name, value := range config.variableMaps()[attribute].Elements() {
			at := path.Root(attribute).AtMapKey(name)
			if other, twice := first[name]; twice {
				diags.AddAttributeError(at, "Variable in two maps",
					fmt.Sprintf("%s is set in both %s and %s. Keep it in one of them.", name, other, attribute))
			}
			first[name] = attribute
			text, _ := value.(types.String)
			if !value.IsUnknown() && hidden(api.Secret{Name: name, Value: text.ValueString()}) {
				diags.AddAttributeError(at, "Masked value", fmt.Sprintf("The value of %s consists only of asterisks or bullets, which is "+
					"how services mask secrets. The provider could not distinguish it from a masked value or detect changes made "+
					"elsewhere. Set the actual value.", name))
			}
		}
	}
	return diags
}

// longestName is the limit of a DNS label: the service makes one from the name.
const longestName = 63

// refuseName returns an error if the name of a new deployment can't be part of a host name. An existing deployment already
// works with its name.
func refuseName(name types.String) diag.Diagnostics {
	at, value := path.Root("name"), name.ValueString()
	switch {
	case len(value) > longestName:
		return framework.ErrorAt(at, "Invalid name", "%s is %q, which has %d characters. It becomes part of host names, which allow at most %d. "+
			"Choose a shorter one.", at, value, len(value), longestName)
	case strings.HasSuffix(value, "-"):
		return framework.ErrorAt(at, "Invalid name", "%s is %q, which ends with a dash. It becomes part of host names, which can't end with one. "+
			"End it with a letter or a digit.", at, value)
	}
	return nil
}

// refuseNew refuses settings that the service refuses, unless the deployment already has them: generated configuration repeats them, and
// what was accepted once is accepted again.
func refuseNew(config, state model) diag.Diagnostics {
	wanted, has := config.sourceConfig(), state.sourceConfig()
	ref, hasRef := config.sourceRevisionConfig(), state.sourceRevisionConfig()
	diags := refuseCommit(ref.RepoRef, hasRef.RepoRef)
	if !ref.ImageURI.Equal(hasRef.ImageURI) {
		diags.Append(framework.RefuseDigest(path.Root("source_revision_config").AtName("image_uri"), ref.ImageURI.ValueString())...)
	}
	diags.Append(resourcespec.RefuseContainers(wanted.ResourceSpec, has.ResourceSpec)...)
	source := api.Source(config.Source.ValueString())
	for _, setting := range []struct {
		name        string
		sources     []api.Source
		wanted, has types.String
	}{
		{"custom_url", ownImages, wanted.CustomURL, has.CustomURL},
		{"install_command", built, wanted.InstallCommand, has.InstallCommand},
		{"build_command", built, wanted.BuildCommand, has.BuildCommand},
	} {
		if source == "" || slices.Contains(setting.sources, source) || setting.wanted.IsNull() || setting.wanted.IsUnknown() ||
			setting.wanted.Equal(setting.has) && config.Source.Equal(state.Source) {
			continue
		}
		at := path.Root("source_config").AtName(setting.name)
		why := "it applies only to deployments of source " + either(setting.sources)
		if setting.name == "custom_url" {
			why = fmt.Sprintf("the service sets it itself for deployments of source %q", source)
		}
		diags.AddAttributeError(at, "Attribute of another source", fmt.Sprintf("%s is %q, but %s. Remove it.", at, setting.wanted.ValueString(), why))
	}
	return diags
}

// refuseCommit refuses a new repo_ref that is a commit: the service builds branches and tags. One that the deployment already has was
// accepted once, or is what the service has resolved a tag to.
func refuseCommit(planned, state types.String) diag.Diagnostics {
	if !commit.MatchString(planned.ValueString()) {
		return nil
	}
	at := path.Root("source_revision_config").AtName("repo_ref")
	text := fmt.Sprintf("%s is %q, which is the ID of a commit, but the service builds branches (main) and tags (refs/tags/v1.2.3). Tag "+
		"the commit, and set repo_ref to the tag. To return to what an earlier revision was built from, use the action "+
		"agentplane_roll_back.", at, planned.ValueString())
	if planned.Equal(state) {
		return framework.WarningAt(at, "Commit in repo_ref", "%s", text)
	}
	return framework.ErrorAt(at, "Commit in repo_ref", "%s", text)
}

// refuseNumbers refuses new numbers in resource_spec that the service doesn't accept.
func refuseNumbers(provider *framework.ProviderData, planned, state model) diag.Diagnostics {
	dialect := dialectOf(provider)
	if provider.Client == nil {
		dialect = nil
	}
	return resourcespec.RefuseNumbers(dialect, planned.sourceConfig().ResourceSpec, state.sourceConfig().ResourceSpec)
}

// refuseBody refuses a request that is larger than the service accepts. Unknown values count as empty.
func refuseBody(dialect *api.Dialect, planned model, request any) diag.Diagnostics {
	data, err := json.Marshal(request)
	if err != nil || len(dialect.Body(data)) <= api.MaxBody {
		return nil // The client reports what can't be encoded.
	}
	size := func(value attr.Value) int { return len(value.String()) }
	attributes := map[string]attr.Value{
		"source_config": planned.SourceConfig, "source_revision_config": planned.SourceRevisionConfig, "environment": planned.Environment,
		"secrets": planned.Secrets, "secrets_wo": planned.SecretsWO, "secret_references": planned.SecretReferences,
	}
	largest := "environment"
	for name, value := range attributes {
		if size(value) > size(attributes[largest]) {
			largest = name
		}
	}
	return framework.ErrorAt(path.Root(largest), "Request is too large", "The request for deployment %q has %d bytes, but the service accepts at "+
		"most %d (10 MiB). The largest attribute is %s: shorten it.", planned.Name.ValueString(), len(data), api.MaxBody, largest)
}

// refuseExtended returns an error for every configured feature of the LangSmith API, unless the service supports them.
func refuseExtended(dialect *api.Dialect, config model) diag.Diagnostics {
	if dialect.LangSmithAPI {
		return nil
	}
	var diags diag.Diagnostics
	sourceConfig := config.sourceConfig()
	refuse := func(at path.Path, set bool, value string) {
		if set {
			diags.Append(framework.Unsupported(dialect, at, value))
		}
	}
	known := func(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }
	source, deploymentType := config.Source.ValueString(), sourceConfig.DeploymentType.ValueString()
	inConfig, inRevision := path.Root("source_config"), path.Root("source_revision_config")
	refuse(path.Root("source"), slices.Contains(api.ExtendedSources, api.Source(source)), source)
	refuse(inConfig.AtName("deployment_type"), slices.Contains(api.ExtendedDeploymentTypes, api.DeploymentType(deploymentType)), deploymentType)
	refuse(inConfig.AtName("template_id"), known(sourceConfig.TemplateID), "")
	refuse(inRevision.AtName("source_tarball_path"), known(config.sourceRevisionConfig().SourceTarballPath), "")
	refuse(path.Root("display_name"), known(config.DisplayName), "")
	refuse(path.Root("secret_references"), known(config.SecretReferences), "")
	refuse(path.Root("shareable"), known(config.Shareable), "")
	refuse(path.Root("route_through_gateway"), known(config.RouteThroughGateway), "")
	refuse(path.Root("deployment_tier"), known(config.DeploymentTier), "")
	refuse(path.Root("compute_tier"), known(config.ComputeTier), "")
	refuse(path.Root("database_tier"), known(config.DatabaseTier), "")
	refuse(path.Root("delete_tracing_project"), config.DeleteTracingProject.ValueBool(), "true")
	return diags
}

// refuseReserved returns an error for every variable that the service sets itself.
func refuseReserved(dialect *api.Dialect, m model) diag.Diagnostics {
	var diags diag.Diagnostics
	if !dialect.ReservesVariables || m.Source.IsUnknown() {
		return nil
	}
	parts := m.variableMaps()
	parts["secret_references"] = m.SecretReferences
	for _, attribute := range slices.Sorted(maps.Keys(parts)) {
		for _, name := range slices.Sorted(maps.Keys(parts[attribute].Elements())) {
			onOwnHosts, reserved := api.ReservedVariables[name]
			if !reserved || onOwnHosts && m.Source.ValueString() == string(api.SourceExternalContainer) {
				continue
			}
			at := path.Root(attribute).AtMapKey(name)
			diags.AddAttributeError(at, "Reserved variable", fmt.Sprintf("%s sets the environment variable %s, which is reserved: the "+
				"service sets it itself. Remove it or rename it.", at, name))
		}
	}
	return diags
}

// refuseEmptied returns an error if the last variable would be removed: the service ignores an empty environment.
func refuseEmptied(dialect *api.Dialect, m model, c change, state model) diag.Diagnostics {
	variables, known := m.variables()
	if !dialect.KeepsLastSecret || !c.variables() || !known || len(variables) > 0 || len(state.EnvironmentNames.Elements()) == 0 ||
		m.EnvironmentOwnership.ValueString() == ownershipDeclared {
		return nil
	}
	return diag.Diagnostics{lastVariable(m)}
}

// lastVariable is the error for an environment that can't be emptied.
func lastVariable(m model) diag.Diagnostic {
	at := path.Root("environment")
	for _, attribute := range []string{"secrets", "secrets_wo"} {
		if m.Environment.IsNull() && !m.variableMaps()[attribute].IsNull() {
			at = path.Root(attribute)
		}
	}
	return diag.NewAttributeErrorDiagnostic(at, "Environment can't be emptied",
		fmt.Sprintf("The last environment variable of deployment %q would be removed, but the service ignores an empty environment and keeps the "+
			"variables. Keep a harmless variable, for example %s = { UNUSED = \"1\" }. Or remove all three maps: the environment then stays as it "+
			"is and is no longer managed. Or replace the deployment: run `terraform taint` with its address.", m.Name.ValueString(), at))
}

// warnOfName warns that a name is too long for the autoscaler of a self-hosted installation.
func warnOfName(dialect *api.Dialect, m model) diag.Diagnostics {
	name := m.Name.ValueString()
	if dialect.ScalableName == 0 || len(name) <= dialect.ScalableName || m.Source.ValueString() != string(api.SourceExternalContainer) {
		return nil
	}
	return framework.WarningAt(path.Root("name"), "Long name", "name is %q, which has %d characters. In self-hosted installations, the autoscaler "+
		"doesn't support names of more than %d characters, and such a deployment never becomes ready. Choose a shorter name: it can't be changed "+
		"later.", name, len(name), dialect.ScalableName)
}
