package tracingproject

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type dataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

// NewDataSource is one tracing project, by id, by name or by deployment.
func NewDataSource() datasource.DataSource { return &dataSource{} }

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_tracing_project"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a tracing project, by ID, name or deployment. A project of the same name is created " +
			"with each deployment and collects its traces. With a window, it also reads statistics.",
		Attributes: attributes(),
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := d.In(config.WorkspaceID)
	project, diags := framework.ProjectReference{
		ID: config.ID, Name: config.Name, DeploymentID: config.DeploymentID, NamePath: path.Root("name"),
	}.Find(ctx, c)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	statistics, diags := d.measured(ctx, c, config, project.ID)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	found := newModel(config, *project, statistics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
}
