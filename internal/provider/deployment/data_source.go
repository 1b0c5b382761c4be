package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type dataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

// NewDataSource is one deployment, by id or by name.
func NewDataSource() datasource.DataSource { return &dataSource{} }

type singleDataModel struct {
	dataModel
	WorkspaceID          types.String `tfsdk:"workspace_id"`
	LatestRevisionStatus types.String `tfsdk:"latest_revision_status"`
}

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deployment"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a deployment, by ID or exact name. Of its environment, only the names are available.",
		Attributes:          singleDataAttributes(),
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config singleDataModel
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := d.In(config.WorkspaceID)
	found, err := find(ctx, c, config)
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot read deployment"}.Diagnostics(err)...)
		return
	}
	if found == nil {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Deployment not found",
			fmt.Sprintf("No deployment of this workspace is named %q. The data source agentplane_deployments lists the "+
				"existing ones. Also check workspace_id.", config.Name.ValueString()))
		return
	}
	status, err := latestStatus(ctx, c, *found)
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot read the newest revision"}.Diagnostics(err)...)
		return
	}
	shown, diags := newDataModel(ctx, c, *found)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &singleDataModel{
		dataModel: shown, WorkspaceID: config.WorkspaceID, LatestRevisionStatus: framework.StringOrNull(status),
	})...)
}

// find is nil without an error when no deployment has the name.
func find(ctx context.Context, c *client.Client, config singleDataModel) (*api.Deployment, error) {
	if !config.ID.IsNull() {
		return c.GetDeployment(ctx, config.ID.ValueString())
	}
	for deployment, err := range c.ListDeployments(ctx, client.DeploymentFilter{Name: config.Name.ValueString()}) {
		return &deployment, err
	}
	return nil, nil
}
