package framework

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// In returns the configured client for a workspace; null means the provider's.
func (p *ProviderData) In(workspaceID types.String) *client.Client {
	return p.Client.InWorkspace(workspaceID.ValueString())
}

// PlannedWorkspace returns the provider's workspace if the configuration has none. One that the configuration will only know during
// the apply stays unknown.
func (p *ProviderData) PlannedWorkspace(config tfsdk.Config, planned types.String) types.String {
	if !planned.IsUnknown() || p.Client == nil || !workspaceKnown(config) {
		return planned
	}
	return StringOrNull(p.Client.WorkspaceID())
}

// workspaceKnown reports whether the workspace_id of a configuration is known, or null.
func workspaceKnown(config tfsdk.Config) bool {
	var attributes map[string]tftypes.Value
	return config.Raw.As(&attributes) == nil && attributes[workspaceID].IsKnown()
}

// KnownWorkspace returns the provider's workspace, if that is known, for an import that has none.
func (p *ProviderData) KnownWorkspace(stored types.String) types.String {
	if !stored.IsNull() || p.Client == nil {
		return stored
	}
	return StringOrNull(p.Client.WorkspaceID())
}

// WorkspaceAttribute returns the workspace_id of a data source.
func WorkspaceAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Default: the provider's workspace.",
		Validators:          []validator.String{UUID()},
	}
}

// ResourceWorkspaceAttribute returns the workspace_id of a resource, for Replacing or ReplacingKnown; noun is the word for the resource.
func ResourceWorkspaceAttribute(noun string) resource.StringAttribute {
	return resource.StringAttribute{
		Optional: true,
		Computed: true,
		MarkdownDescription: "Workspace of the " + noun + ". Default: the provider's. Changing it replaces the " +
			noun + ".",
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		Validators:    []validator.String{UUID()},
	}
}
