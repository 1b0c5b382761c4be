package deployment

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// ValidateConfig implements resource.ResourceWithValidateConfig: rules across several attributes. Each rule is silent
// while anything it needs is unknown.
func (r *deploymentResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(framework.Read(ctx, req.Config.Schema, req.Config.Raw, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	sourceConfig, revisionConfig := config.sourceConfig(), config.sourceRevisionConfig()
	// The schema already reports an invalid source and missing objects.
	isSource := slices.Contains(slices.Concat(ownImages, inCloud), api.Source(config.Source.ValueString()))
	if isSource && !config.SourceConfig.IsNull() && !config.SourceConfig.IsUnknown() {
		resp.Diagnostics.Append(validateBySource(config.Source.ValueString(), path.Root("source_config"), sourceConfig.bySource())...)
	}
	if isSource && !config.SourceRevisionConfig.IsNull() && !config.SourceRevisionConfig.IsUnknown() {
		resp.Diagnostics.Append(validateBySource(config.Source.ValueString(), path.Root("source_revision_config"), revisionConfig.bySource())...)
	}
	resp.Diagnostics.Append(validateListener(config, sourceConfig)...)
	resp.Diagnostics.Append(validateTag(sourceConfig, revisionConfig)...)
	resp.Diagnostics.Append(validateOneMap(config)...)
	resp.Diagnostics.Append(validateReferences(config)...)
	if !framework.ChecksValues(ctx) {
		return
	}
	resp.Diagnostics.Append(resourcespec.Validate(sourceConfig.ResourceSpec)...)
}

func validateBySource(source string, parent path.Path, rules []sourceRule) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, rule := range rules {
		at := parent.AtName(rule.attribute)
		switch {
		case !slices.Contains(rule.sources, api.Source(source)) && !rule.value.IsNull() && !rule.value.IsUnknown():
			diags.AddAttributeError(at, "Attribute of another source",
				fmt.Sprintf("%s applies only to deployments of source %s, but source is %q. Remove it, or change source.",
					at, either(rule.sources), source))
		case slices.Contains(rule.required, api.Source(source)) && rule.value.IsNull():
			diags.AddAttributeError(at, "Missing "+at.String(),
				fmt.Sprintf("A deployment of source %q requires %s.", source, at))
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
		fmt.Sprintf("%s is true, but source_revision_config.repo_ref is the tag %q, and tags don't receive pushes. Set "+
			"it to false, or track a branch.", at, ref))}
}

func validateListener(config model, sourceConfig sourceConfigModel) diag.Diagnostics {
	placed := sourceConfig.ListenerConfig
	if slices.Contains(inCloud, api.Source(config.Source.ValueString())) || config.SourceConfig.IsUnknown() || placed.IsNull() || placed.IsUnknown() || !sourceConfig.ListenerID.IsNull() {
		return nil
	}
	at := path.Root("source_config").AtName("listener_config")
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "listener_config without listener_id",
		fmt.Sprintf("%s is set, but source_config.listener_id is not. Set it to the ID of a listener, for example from "+
			"the data source agentplane_listener.", at))}
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
				diags.AddAttributeError(at, "Masked value",
					fmt.Sprintf("The value of %s consists only of asterisks or bullets, which is how services mask "+
						"secrets. The provider could not distinguish it from a masked value or detect changes made "+
						"elsewhere. Set the actual value.", name))
			}
		}
	}
	return diags
}
