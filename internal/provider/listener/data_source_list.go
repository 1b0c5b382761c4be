package listener

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

// NewListDataSource is every listener of the workspace.
func NewListDataSource() datasource.DataSource { return &listDataSource{} }

type listModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	Listeners   []dataModel  `tfsdk:"listeners"`
}

func (d *listDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_listeners"
}

func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the listeners of the workspace. Listeners deploy `external_container` deployments to " +
			"self-hosted compute.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.WorkspaceAttribute(),
			"listeners": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "All listeners of the workspace, in the order in which the service lists them.",
				NestedObject:        framework.ComputedObject(dataAttributes()),
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
	listeners, err := client.Collect(d.In(config.WorkspaceID).ListListeners(ctx))
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot list listeners"}.Diagnostics(err)...)
		return
	}
	state := listModel{WorkspaceID: config.WorkspaceID, Listeners: make([]dataModel, 0, len(listeners))}
	for _, listener := range listeners {
		m, diags := newDataModel(ctx, listener)
		resp.Diagnostics.Append(diags...)
		state.Listeners = append(state.Listeners, m)
	}
	resp.Diagnostics.Append(framework.Write(ctx, resp.State.Schema, &resp.State.Raw, state)...)
}
