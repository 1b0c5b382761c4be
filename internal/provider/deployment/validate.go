package deployment

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// ValidateConfig implements resource.ResourceWithValidateConfig: the rules that join several attributes. Each rule is
// silent while anything it needs is unknown.
func (r *deploymentResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	sourceConfig, diags := config.sourceConfig(ctx)
	resp.Diagnostics.Append(diags...)
	revisionConfig, diags := config.sourceRevisionConfig(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !config.Source.IsUnknown() && !config.SourceConfig.IsUnknown() {
		resp.Diagnostics.Append(validateBySource(config.Source.ValueString(), path.Root("source_config"), sourceConfig.bySource())...)
	}
	if !config.Source.IsUnknown() && !config.SourceRevisionConfig.IsUnknown() {
		resp.Diagnostics.Append(validateBySource(config.Source.ValueString(), path.Root("source_revision_config"), revisionConfig.bySource())...)
	}
	resp.Diagnostics.Append(validateTag(sourceConfig, revisionConfig)...)
	resp.Diagnostics.Append(validateListener(config, sourceConfig)...)
	resp.Diagnostics.Append(validateOneMap(config)...)
	resp.Diagnostics.Append(validateResourceSpec(sourceConfig.ResourceSpec)...)
}

// sourceRule says which source an attribute belongs to, and whether that source requires it.
type sourceRule struct {
	attribute string
	source    api.Source
	required  bool
	value     attr.Value
}

func (c sourceConfigModel) bySource() []sourceRule {
	return []sourceRule{
		{"integration_id", api.SourceGitHost, true, c.IntegrationID},
		{"repo_url", api.SourceGitHost, true, c.RepoURL},
		{"deployment_type", api.SourceGitHost, false, c.DeploymentType},
		{"build_on_push", api.SourceGitHost, false, c.BuildOnPush},
		{"resource_spec", api.SourceExternalContainer, false, c.ResourceSpec},
		{"listener_id", api.SourceExternalContainer, false, c.ListenerID},
		{"listener_config", api.SourceExternalContainer, false, c.ListenerConfig},
	}
}

func (c sourceRevisionConfigModel) bySource() []sourceRule {
	return []sourceRule{
		{"repo_ref", api.SourceGitHost, true, c.RepoRef},
		{"graph_config_path", api.SourceGitHost, true, c.GraphConfigPath},
		{"image_uri", api.SourceExternalContainer, true, c.ImageURI},
	}
}

func validateBySource(source string, parent path.Path, rules []sourceRule) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, rule := range rules {
		at := parent.AtName(rule.attribute)
		switch {
		case string(rule.source) != source && !rule.value.IsNull() && !rule.value.IsUnknown():
			diags.AddAttributeError(at, "Attribute of another source",
				fmt.Sprintf("%s applies only to deployments of source %q, but source is %q. Remove it, or change source.",
					at, rule.source, source))
		case string(rule.source) == source && rule.required && rule.value.IsNull():
			diags.AddAttributeError(at, "Missing "+at.String(),
				fmt.Sprintf("A deployment of source %q needs %s.", source, at))
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
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Tag with build_on_push",
		fmt.Sprintf("%s is true, but source_revision_config.repo_ref is the tag %q, and a tag is not pushed to. Set it to "+
			"false, or track a branch.", at, ref))}
}

func validateListener(config model, sourceConfig sourceConfigModel) diag.Diagnostics {
	placed := sourceConfig.ListenerConfig
	if config.SourceConfig.IsUnknown() || placed.IsNull() || placed.IsUnknown() || !sourceConfig.ListenerID.IsNull() {
		return nil
	}
	at := path.Root("source_config").AtName("listener_config")
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "listener_config without listener_id",
		fmt.Sprintf("%s places the deployment within a listener, but source_config.listener_id is not set. Set it to the id "+
			"of a listener, for example from the data source agentplane_listener.", at))}
}

// validateOneMap refuses names that stand in two maps, and values that are null.
func validateOneMap(config model) diag.Diagnostics {
	var diags diag.Diagnostics
	first := map[string]string{}
	for _, attribute := range slices.Sorted(maps.Keys(config.variableMaps())) {
		for name, value := range config.variableMaps()[attribute].Elements() {
			at := path.Root(attribute).AtMapKey(name)
			if other, twice := first[name]; twice {
				diags.AddAttributeError(at, "Variable in two maps",
					fmt.Sprintf("%s stands in both %s and %s. Keep it in one of them.", name, other, attribute))
			}
			first[name] = attribute
			if value.IsNull() {
				diags.AddAttributeError(at, "Variable without a value",
					fmt.Sprintf("%s is null. Leave the name out, or set it to the empty string.", name))
			}
		}
	}
	return diags
}
