package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewDataSource reads one deployment, by ID or by name.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[singleDataModel]{
		Name: "deployment", Attributes: singleDataAttributes, Read: readOne,
		Description: "Reads a deployment, by ID or exact name. Of its environment, only the names are available.",
	})
}

type singleDataModel struct {
	dataModel
	WorkspaceID          types.String `tfsdk:"workspace_id"`
	LatestRevisionStatus types.String `tfsdk:"latest_revision_status"`
}

func readOne(ctx context.Context, provider framework.ProviderData, config *singleDataModel) diag.Diagnostics {
	c := provider.In(config.WorkspaceID)
	found, err := find(ctx, c, *config)
	if err != nil {
		return framework.Failure{Summary: "Cannot read deployment"}.Diagnostics(err)
	}
	if found == nil {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("name"), "Deployment not found",
			fmt.Sprintf("No deployment of this workspace is named %q. The data source agentplane_deployments lists the "+
				"existing ones. Also check workspace_id.", config.Name.ValueString()))}
	}
	status, err := latestStatus(ctx, c, *found)
	if err != nil {
		return framework.Failure{Summary: "Cannot read the newest revision"}.Diagnostics(err)
	}
	config.LatestRevisionStatus = framework.StringOrNull(status)
	var diags diag.Diagnostics
	config.dataModel, diags = newDataModel(c, *found)
	return diags
}

// find returns nil without an error if no deployment has the name.
func find(ctx context.Context, c *client.Client, config singleDataModel) (*api.Deployment, error) {
	if !config.ID.IsNull() {
		return c.GetDeployment(ctx, config.ID.ValueString())
	}
	for deployment, err := range c.ListDeployments(ctx, client.DeploymentFilter{Name: config.Name.ValueString()}) {
		return &deployment, err
	}
	return nil, nil
}
