package integration

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource is every integration of the workspace.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "integrations", Read: readList,
		Description: "Lists the Git hosting integrations of the workspace. `git_host` deployments are built from " +
			"the repositories of an integration.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"integrations": framework.DataList("All integrations of the workspace, in the order in which the service lists them.", attributes()),
			}
		},
	})
}

type listModel struct {
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	Integrations []model      `tfsdk:"integrations"`
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) (diags diag.Diagnostics) {
	config.Integrations, diags = framework.Listed(framework.Failure{Summary: "Cannot list integrations"}, provider.In(config.WorkspaceID).ListIntegrations(ctx), newModel)
	return diags
}
