package integration

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type listDataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*listDataSource)(nil)

// NewListDataSource is every integration of the workspace.
func NewListDataSource() datasource.DataSource { return &listDataSource{} }

type listModel struct {
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	Integrations []model      `tfsdk:"integrations"`
}

func (d *listDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_integrations"
}

func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the Git hosting integrations of the workspace. `git_host` deployments are built from " +
			"the repositories of an integration.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.WorkspaceAttribute(),
			"integrations": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "All integrations of the workspace, in the order in which the service lists them.",
				NestedObject:        framework.ComputedObject(attributes()),
			},
		},
	}
}

func (d *listDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config listModel
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	integrations, err := client.Collect(d.In(config.WorkspaceID).ListIntegrations(ctx))
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot list integrations"}.Diagnostics(err)...)
		return
	}
	state := listModel{WorkspaceID: config.WorkspaceID, Integrations: make([]model, 0, len(integrations))}
	for _, integration := range integrations {
		state.Integrations = append(state.Integrations, newModel(integration))
	}
	resp.Diagnostics.Append(framework.Write(ctx, resp.State.Schema, &resp.State.Raw, state)...)
}
