package listener

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists all listeners of the workspace.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "listeners", Read: readList,
		Description: "Lists the listeners of the workspace. Listeners deploy `external_container` deployments to " +
			"self-hosted compute.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"listeners": framework.DataList("All listeners of the workspace, in the order in which the service lists them.", dataAttributes()),
			}
		},
	})
}

type listModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	Listeners   []dataModel  `tfsdk:"listeners"`
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) (diags diag.Diagnostics) {
	listeners := provider.In(config.WorkspaceID).ListListeners(ctx)
	config.Listeners, diags = framework.Listed(framework.Failure{Summary: "Cannot list listeners"}, listeners, newDataModel)
	return diags
}
