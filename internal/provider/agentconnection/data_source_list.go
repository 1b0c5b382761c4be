package agentconnection

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type listDataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*listDataSource)(nil)

// NewListDataSource is every connection of an agent.
func NewListDataSource() datasource.DataSource { return &listDataSource{} }

type listModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	AgentID     types.String `tfsdk:"agent_id"`
	Connections []model      `tfsdk:"connections"`
}

func (d *listDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_agent_connections"
}

func (d *listDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the connections of an agent that the user has made whose API key the provider has: which tokens the agent " +
			"may use. The tokens themselves are never read.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.WorkspaceAttribute(),
			"agent_id": schema.StringAttribute{
				Required: true, MarkdownDescription: "ID of the agent.", Validators: []validator.String{agentIDValidator()},
			},
			"connections": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The connections, in the order in which the service lists them.",
				NestedObject:        framework.ComputedObject(framework.Computed(connectionAttributes())),
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
	c := d.In(config.WorkspaceID)
	config.Connections = []model{}
	for connection, err := range c.ListAgentConnections(ctx, config.AgentID.ValueString()) {
		if err != nil {
			resp.Diagnostics.Append(failure("list the connections of", config.AgentID).Diagnostics(err)...)
			return
		}
		config.Connections = append(config.Connections, newModel(ctx, framework.StringOrNull(c.WorkspaceID()), connection))
	}
	resp.Diagnostics.Append(framework.Write(ctx, resp.State.Schema, &resp.State.Raw, config)...)
}
