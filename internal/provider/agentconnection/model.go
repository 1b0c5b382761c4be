package agentconnection

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// model is a connection as configuration, plan and state hold it.
type model struct {
	WorkspaceID          types.String `tfsdk:"workspace_id"`
	AgentID              types.String `tfsdk:"agent_id"`
	OAuthTokenID         types.String `tfsdk:"oauth_token_id"`
	ID                   types.String `tfsdk:"id"`
	ProviderID           types.String `tfsdk:"provider_id"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
	Scopes               types.Set    `tfsdk:"scopes"`
	ExpiresAt            types.String `tfsdk:"expires_at"`
	CreatedBy            types.String `tfsdk:"created_by"`
	CreatedAt            types.String `tfsdk:"created_at"`
}

// identityModel is the resource identity: connections are listed by agent only.
type identityModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	AgentID     types.String `tfsdk:"agent_id"`
	ID          types.String `tfsdk:"id"`
}

// ResourceIdentity implements framework.Identified.
func (m model) ResourceIdentity() any { return m.identity() }

func (m model) identity() identityModel {
	return identityModel{WorkspaceID: m.WorkspaceID, AgentID: m.AgentID, ID: m.ID}
}

// newModel is the connection as the service answers it.
func newModel(ctx context.Context, workspaceID types.String, answer api.AgentConnectionResponse) model {
	return model{
		WorkspaceID:          workspaceID,
		AgentID:              types.StringValue(answer.AgentID),
		OAuthTokenID:         types.StringValue(answer.OAuthTokenID),
		ID:                   types.StringValue(answer.ID),
		ProviderID:           framework.StringOrNull(answer.ProviderID),
		ProviderAccountLabel: framework.String(answer.ProviderAccountLabel),
		Scopes:               scopesOf(ctx, answer.Scopes),
		ExpiresAt:            framework.String(answer.ExpiresAt),
		CreatedBy:            framework.StringOrNull(answer.CreatedBy),
		CreatedAt:            framework.StringOrNull(answer.CreatedAt),
	}
}
