package agentconnection

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource is every connection of an agent.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[filterModel, api.AgentConnectionResponse, listedModel]{
		Name: "agent_connections", List: "connections", Attributes: listedAttributes,
		Description: "Lists which tokens an agent may use for the user of the provider's API key. The tokens themselves are " +
			"never read.",
		Arguments: func() map[string]dataschema.Attribute {
			return map[string]dataschema.Attribute{
				"agent_id": framework.DataRequired("ID of the agent.", agentIDValidator()),
			}
		},
		ListDescription: "The connections, in the service's order.",
		Failure:         func(f filterModel) framework.Failure { return failure("list the connections of", f.AgentID) },
		Items: func(ctx context.Context, c *client.Client, f filterModel) iter.Seq2[api.AgentConnectionResponse, error] {
			return c.AgentConnections(f.AgentID.ValueString()).List(ctx)
		},
		Model: func(c *client.Client, found api.AgentConnectionResponse) listedModel {
			return newListed(framework.StringOrNull(c.WorkspaceID()), found)
		},
	})
}

func listedAttributes() map[string]dataschema.Attribute {
	return framework.Computed(connectionAttributes(), "status", "resolved")
}

// filterModel selects the connections of an agent for terraform query.
type filterModel struct {
	AgentID types.String `tfsdk:"agent_id"`
}

// NewListResource finds the connections of an agent for terraform query.
func NewListResource() list.ListResource {
	return newListResource(framework.ListSpec[filterModel, api.AgentConnectionResponse]{
		TypeName: "agent_connection", Plural: "connections",
		Description: "Lists the connections of an agent, to import them in bulk.",
		Items: func(ctx context.Context, c *client.Client, f filterModel) (iter.Seq2[api.AgentConnectionResponse, error], diag.Diagnostics) {
			return c.AgentConnections(f.AgentID.ValueString()).List(ctx), nil
		},
		Model: func(workspaceID types.String, found api.AgentConnectionResponse) framework.Identified {
			return newModel(workspaceID, found, choice{})
		},
	})
}

// NewTokenListResource finds the tokens of an agent for terraform query.
func NewTokenListResource() list.ListResource {
	return newListResource(framework.ListSpec[filterModel, api.AgentConnectionResponse]{
		TypeName: "agent_provider_token", Plural: "tokens",
		Description: "Lists the tokens that belong to an agent, to import them in bulk. Tokens of users are left out.",
		Items:       listTokens,
		Model: func(workspaceID types.String, found api.AgentConnectionResponse) framework.Identified {
			return newTokenModel(tokenModel{listedModel: listedModel{WorkspaceID: workspaceID}}, found)
		},
	})
}

// newListResource returns a list resource for what one agent has.
func newListResource(spec framework.ListSpec[filterModel, api.AgentConnectionResponse]) list.ListResource {
	spec.Filters = map[string]schema.Attribute{
		"agent_id": framework.RequiredString("ID of the agent.", agentIDValidator()),
	}
	spec.Name = func(found api.AgentConnectionResponse) string {
		return fmt.Sprintf("%s at %s", found.AgentID, found.ProviderID)
	}
	return framework.NewListResource(spec)
}

// listTokens lists the agent's own tokens.
func listTokens(ctx context.Context, c *client.Client, f filterModel) (iter.Seq2[api.AgentConnectionResponse, error], diag.Diagnostics) {
	connections, err := client.Collect(c.AgentConnections(f.AgentID.ValueString()).List(ctx))
	var own []api.AgentConnectionResponse
	if err == nil {
		own, err = ownTokens(ctx, c.ListOAuthTokens, connections, "")
	}
	if err != nil {
		return nil, tokenFailure("list the", f.AgentID).Diagnostics(err)
	}
	return client.Items(own, nil), nil
}
