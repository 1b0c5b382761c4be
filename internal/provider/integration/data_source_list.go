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
	return framework.NewDataSource(framework.DataSpec[listModel]{Name: "integrations", Schema: listSchema, Read: readList})
}

type listModel struct {
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	Integrations []model      `tfsdk:"integrations"`
}

func listSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the Git hosting integrations of the workspace. `git_host` deployments are built from " +
			"the repositories of an integration.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.WorkspaceAttribute(),
			"integrations": framework.DataList("All integrations of the workspace, in the order in which the service lists them.", attributes()),
		},
	}
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) diag.Diagnostics {
	config.Integrations = []model{}
	for integration, err := range provider.In(config.WorkspaceID).ListIntegrations(ctx) {
		if err != nil {
			return framework.Failure{Summary: "Cannot list integrations"}.Diagnostics(err)
		}
		config.Integrations = append(config.Integrations, newModel(integration))
	}
	return nil
}
