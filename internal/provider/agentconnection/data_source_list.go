package agentconnection

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource is every connection of an agent.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{Name: "agent_connections", Schema: listSchema, Read: readList})
}

type listModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	AgentID     types.String `tfsdk:"agent_id"`
	Connections []model      `tfsdk:"connections"`
}

func listSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the connections that the user of the provider's API key has given an agent: which " +
			"tokens the agent may use. The tokens themselves are never read.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.WorkspaceAttribute(),
			"agent_id": schema.StringAttribute{
				Required: true, MarkdownDescription: "ID of the agent.", Validators: []validator.String{agentIDValidator()},
			},
			"connections": framework.DataList("The connections, in the order in which the service lists them.", framework.Computed(connectionAttributes())),
		},
	}
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) diag.Diagnostics {
	c := provider.In(config.WorkspaceID)
	config.Connections = []model{}
	for connection, err := range c.ListAgentConnections(ctx, config.AgentID.ValueString()) {
		if err != nil {
			return failure("list the connections of", config.AgentID).Diagnostics(err)
		}
		config.Connections = append(config.Connections, newModel(ctx, framework.StringOrNull(c.WorkspaceID()), connection))
	}
	return nil
}
