package deployment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type listDataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*listDataSource)(nil)

// NewListDataSource is the deployments of a workspace that match filters.
func NewListDataSource() datasource.DataSource { return &listDataSource{} }

type listModel struct {
	filterModel
	Deployments []dataModel `tfsdk:"deployments"`
}

func (d *listDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deployments"
}

func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := filterAttributes()
	all["deployments"] = schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The deployments, in the order in which the service lists them.",
		NestedObject:        framework.ComputedObject(dataAttributes()),
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the deployments of a workspace that match all filters. Of their environments, only the " +
			"names are available.",
		Attributes: all,
	}
}

func (d *listDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config listModel
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	filter, diags := config.toFilter(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := d.In(config.WorkspaceID)
	var deployments []api.Deployment
	var err error
	if !config.findsNone() {
		deployments, err = client.Collect(c.ListDeployments(ctx, filter))
	}
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot list deployments"}.Diagnostics(err)...)
		return
	}
	config.Deployments = make([]dataModel, 0, len(deployments))
	for _, deployment := range deployments {
		m, diags := newDataModel(ctx, c, deployment)
		resp.Diagnostics.Append(diags...)
		config.Deployments = append(config.Deployments, m)
	}
	resp.Diagnostics.Append(framework.Write(ctx, resp.State.Schema, &resp.State.Raw, config)...)
}
