package agentconnection

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// tokenModel is a token of an agent as configuration, plan and state hold it.
type tokenModel struct {
	WorkspaceID          types.String `tfsdk:"workspace_id"`
	AgentID              types.String `tfsdk:"agent_id"`
	ProviderID           types.String `tfsdk:"provider_id"`
	AccessTokenWO        types.String `tfsdk:"access_token_wo"`  // In the configuration only.
	RefreshTokenWO       types.String `tfsdk:"refresh_token_wo"` // In the configuration only.
	TokensWOVersion      types.Int64  `tfsdk:"tokens_wo_version"`
	ExpiresInSeconds     types.Int64  `tfsdk:"expires_in_seconds"`
	Scopes               types.Set    `tfsdk:"scopes"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
	Renew                types.Bool   `tfsdk:"renew"`
	ID                   types.String `tfsdk:"id"`
	OAuthTokenID         types.String `tfsdk:"oauth_token_id"`
	ExpiresAt            types.String `tfsdk:"expires_at"`
	CreatedBy            types.String `tfsdk:"created_by"`
	CreatedAt            types.String `tfsdk:"created_at"`

	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

// ResourceIdentity implements framework.Identified.
func (m tokenModel) ResourceIdentity() any { return m.identity() }

func (m tokenModel) identity() identityModel {
	return identityModel{WorkspaceID: m.WorkspaceID, AgentID: m.AgentID, ID: m.ID}
}

// toUpsert is the whole token.
func (m tokenModel) toUpsert() api.UpsertAgentProviderTokenRequest {
	request := api.UpsertAgentProviderTokenRequest{
		AccessToken:          m.AccessTokenWO.ValueString(),
		RefreshToken:         framework.ToOptional[string](m.RefreshTokenWO),
		Scopes:               api.Some(framework.Texts[string](m.Scopes)),
		ProviderAccountLabel: framework.ToOptional[string](m.ProviderAccountLabel),
	}
	if !m.ExpiresInSeconds.IsNull() {
		request.ExpiresInSeconds = api.Some(m.ExpiresInSeconds.ValueInt64())
	}
	return request
}

// newTokenModel is the token as the service answers it. What it never shows stays as in prior.
func newTokenModel(prior tokenModel, answer api.AgentConnectionResponse) tokenModel {
	m := prior
	m.AgentID = types.StringValue(answer.AgentID)
	m.ProviderID = types.StringValue(answer.ProviderID)
	m.Scopes = framework.TextSet(answer.Scopes)
	m.ProviderAccountLabel = framework.String(answer.ProviderAccountLabel)
	m.ID = types.StringValue(answer.ID)
	m.OAuthTokenID = types.StringValue(answer.OAuthTokenID)
	m.ExpiresAt = framework.String(answer.ExpiresAt)
	m.CreatedBy = framework.StringOrNull(answer.CreatedBy)
	m.CreatedAt = framework.StringOrNull(answer.CreatedAt)
	return m
}

// differs reports whether something is to be sent. After an import, the first version and lifetime are only recorded: the tokens are there.
func (m tokenModel) differs(state tokenModel) bool {
	imported := state.TokensWOVersion.IsNull()
	return !imported && (!m.TokensWOVersion.Equal(state.TokensWOVersion) || !m.ExpiresInSeconds.Equal(state.ExpiresInSeconds)) ||
		!m.Scopes.Equal(state.Scopes) || !m.ProviderAccountLabel.Equal(state.ProviderAccountLabel)
}
