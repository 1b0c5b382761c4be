package agentconnection

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource is every connection of an agent.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "agent_connections", Read: readList,
		Description: "Lists the connections that the user of the provider's API key has given an agent: which " +
			"tokens the agent may use. The tokens themselves are never read.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"agent_id": schema.StringAttribute{
					Required: true, MarkdownDescription: "ID of the agent.", Validators: []validator.String{agentIDValidator()},
				},
				"connections": framework.DataList("The connections, in the order in which the service lists them.", framework.Computed(connectionAttributes(), "status", "resolved")),
			}
		},
	})
}

type listModel struct {
	WorkspaceID types.String  `tfsdk:"workspace_id"`
	AgentID     types.String  `tfsdk:"agent_id"`
	Connections []listedModel `tfsdk:"connections"`
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) (diags diag.Diagnostics) {
	c := provider.In(config.WorkspaceID)
	connections := c.ListAgentConnections(ctx, config.AgentID.ValueString())
	config.Connections, diags = framework.Listed(failure("list the connections of", config.AgentID), connections, func(found api.AgentConnectionResponse) listedModel {
		return newListed(framework.StringOrNull(c.WorkspaceID()), found)
	})
	return diags
}
