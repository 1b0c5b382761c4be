package agentconnection

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// filterModel says which connections are meant.
type filterModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	AgentID     types.String `tfsdk:"agent_id"`
}

// NewListResource finds the connections of an agent for terraform query.
func NewListResource() list.ListResource {
	return framework.NewListResource(framework.ListSpec[filterModel, api.AgentConnectionResponse]{
		TypeName: "agent_connection", Plural: "connections",
		Description: "Lists the connections of an agent, to import them in bulk.",
		Filters: map[string]schema.Attribute{
			"agent_id": schema.StringAttribute{
				Required: true, MarkdownDescription: "ID of the agent.", Validators: []validator.String{agentIDValidator()},
			},
		},
		Items: func(ctx context.Context, c *client.Client, f filterModel) (iter.Seq2[api.AgentConnectionResponse, error], diag.Diagnostics) {
			return c.ListAgentConnections(ctx, f.AgentID.ValueString()), nil
		},
		Name: func(found api.AgentConnectionResponse) string {
			return fmt.Sprintf("%s at %s", found.AgentID, found.ProviderID)
		},
		Model: func(workspaceID types.String, found api.AgentConnectionResponse) framework.Identified {
			return newModel(workspaceID, found)
		},
	})
}
