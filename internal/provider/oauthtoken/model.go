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
	request := framework.Expand[api.OAuthTokenImportRequest](m)
	request.AccessToken, request.RefreshToken = m.AccessTokenWO.ValueString(), framework.ToOptional[string](m.RefreshTokenWO)
	return request
}

// toPatch is the change of the metadata from state to m.
func (m model) toPatch(state model) api.OAuthTokenUpdateRequest {
	return framework.Expand[api.OAuthTokenUpdateRequest](framework.Changes(m, state))
}

// newModel is the token as the service shows it. What it never shows stays as in prior.
func newModel(prior model, token api.OAuthTokenSummary) model {
	return framework.Flatten(prior, token)
}
