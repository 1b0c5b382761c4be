package oauthtoken

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// model is the resource in configuration, plan and state.
type model struct {
	WorkspaceID          types.String `tfsdk:"workspace_id"`
	ProviderID           types.String `tfsdk:"provider_id"`
	AccessTokenWO        types.String `tfsdk:"access_token_wo"`  // In the configuration only.
	RefreshTokenWO       types.String `tfsdk:"refresh_token_wo"` // In the configuration only.
	TokensWOVersion      types.Int64  `tfsdk:"tokens_wo_version"`
	ExpiresInSeconds     types.Int64  `tfsdk:"expires_in_seconds"`
	Scopes               types.Set    `tfsdk:"scopes"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
	IsDefault            types.Bool   `tfsdk:"is_default"`
	ID                   types.String `tfsdk:"id"`
	ExpiresAt            types.String `tfsdk:"expires_at"`
	CreatedAt            types.String `tfsdk:"created_at"`
	UpdatedAt            types.String `tfsdk:"updated_at"`
}

// ResourceIdentity implements framework.Identified.
func (m model) ResourceIdentity() any {
	return framework.Identity{WorkspaceID: m.WorkspaceID, ID: m.ID}
}

// noScopes is the default of scopes.
var noScopes = types.SetValueMust(types.StringType, []attr.Value{})

// fingerprint recognizes the tokens.
func (m model) fingerprint() framework.Fingerprint {
	return framework.Fingerprint{}.With(accessTokenWO, m.AccessTokenWO.ValueString()).With(refreshTokenWO, m.RefreshTokenWO.ValueString())
}

// toImport is the request that stores the token. The label isn't part of it.
func (m model) toImport() api.OAuthTokenImportRequest {
	return api.OAuthTokenImportRequest{
		ProviderID:       m.ProviderID.ValueString(),
		AccessToken:      m.AccessTokenWO.ValueString(),
		RefreshToken:     framework.ToOptional[string](m.RefreshTokenWO),
		ExpiresInSeconds: api.FromPtr(m.ExpiresInSeconds.ValueInt64Pointer()),
		Scopes:           api.Some(framework.Texts[string](m.Scopes)),
		IsDefault:        api.Some(m.IsDefault.ValueBool()),
	}
}

// toPatch is the change of the metadata from state to m.
func (m model) toPatch(state model) api.OAuthTokenUpdateRequest {
	request := api.OAuthTokenUpdateRequest{ProviderAccountLabel: framework.Changed[string](m.ProviderAccountLabel, state.ProviderAccountLabel)}
	if !m.IsDefault.Equal(state.IsDefault) {
		request.IsDefault = api.FromPtr(m.IsDefault.ValueBoolPointer())
	}
	return request
}

// newModel is the token as the service shows it. What it never shows stays as in prior.
func newModel(prior model, token api.OAuthTokenSummary) model {
	m := prior
	m.ProviderID = types.StringValue(token.ProviderID)
	m.Scopes = framework.TextSet(token.Scopes)
	m.ProviderAccountLabel = framework.String(token.ProviderAccountLabel)
	m.IsDefault = types.BoolValue(token.IsDefault)
	m.ID = types.StringValue(token.ID)
	m.ExpiresAt = framework.String(token.ExpiresAt)
	m.CreatedAt = framework.StringOrNull(token.CreatedAt)
	m.UpdatedAt = framework.StringOrNull(token.UpdatedAt)
	return m
}
