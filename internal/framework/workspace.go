package framework

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// In is the configured client in a workspace; null is the provider's own.
func (p *ProviderData) In(workspaceID types.String) *client.Client {
	return p.Client.InWorkspace(workspaceID.ValueString())
}

// WorkspaceAttribute is the workspace_id of a data source.
func WorkspaceAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Workspace to look in, a UUID. Default: the provider's.",
		Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}
