package run

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type listDataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*listDataSource)(nil)

// NewListDataSource is the data source agentplane_runs.
func NewListDataSource() datasource.DataSource { return &listDataSource{} }

func (d *listDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_runs"
}

func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = listSchema()
}

func (d *listDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config listModel
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := d.In(config.WorkspaceID)
	project, diags := framework.ProjectReference{
		ID: config.ProjectID, Name: config.ProjectName, DeploymentID: config.DeploymentID, NamePath: path.Root("project_name"),
	}.Find(ctx, c)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	query, diags := config.toQuery(ctx, project.ID)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	var runs []api.Run
	if config.IDs.IsNull() || len(query.IDs) > 0 { // The service takes an empty list for no filter.
		var err error
		if runs, err = c.QueryRuns(ctx, query, config.limit()); err != nil {
			resp.Diagnostics.Append(refusedQuery(ctx, c, query, err)...)
			return
		}
	}
	config.ProjectID = types.StringValue(project.ID)
	config.Runs = make([]model, len(runs))
	if config.IncludeContent.ValueBool() {
		config.Contents = make(map[string]content, len(runs))
	}
	for i, run := range runs {
		config.Runs[i], diags = newModel(run)
		resp.Diagnostics.Append(diags...)
		if config.Contents != nil {
			config.Contents[run.ID] = newContent(run)
		}
	}
	resp.Diagnostics.Append(framework.Write(ctx, resp.State.Schema, &resp.State.Raw, config)...)
}
