package oauthprovider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists all OAuth providers of the organization.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "oauth_providers", Read: readList,
		Description: "Lists the OAuth providers of the organization. The data source `agentplane_platform_oauth_providers` " +
			"lists those that come with the platform.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"oauth_providers": framework.DataList("All OAuth providers of the organization, in the order in which the service lists them.",
					dataAttributes()),
			}
		},
	})
}

type listModel struct {
	WorkspaceID    types.String `tfsdk:"workspace_id"`
	OAuthProviders []dataModel  `tfsdk:"oauth_providers"`
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) (diags diag.Diagnostics) {
	providers := provider.In(config.WorkspaceID).ListOAuthProviders(ctx)
	config.OAuthProviders, diags = framework.Listed(framework.Failure{Summary: "Cannot list OAuth providers"}, providers, newDataModel)
	return diags
}
