package oauthtoken

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
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

// withTokens is m with the write-only values of the configuration.
func (m model) withTokens(config model) model {
	m.AccessTokenWO, m.RefreshTokenWO = config.AccessTokenWO, config.RefreshTokenWO
	return m
}

// kept is what an apply stores: the planned values, and otherwise the service's.
func (m model) kept(ctx context.Context, answered model) model {
	m = framework.KeepPlanned(ctx, m, answered)
	m.AccessTokenWO, m.RefreshTokenWO = types.StringNull(), types.StringNull()
	return m
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

// toUpdate is the change of the metadata from state to m.
func (m model) toUpdate(state model) api.OAuthTokenUpdateRequest {
	var request api.OAuthTokenUpdateRequest
	if !m.ProviderAccountLabel.Equal(state.ProviderAccountLabel) {
		request.ProviderAccountLabel = framework.ToOptional[string](m.ProviderAccountLabel)
	}
	if !m.IsDefault.Equal(state.IsDefault) {
		request.IsDefault = api.FromPtr(m.IsDefault.ValueBoolPointer())
	}
	return request
}

// newModel is the token as the service shows it. What it never shows stays as in prior.
func newModel(prior model, token api.OAuthTokenSummary) model {
	m := prior
	m.AccessTokenWO, m.RefreshTokenWO = types.StringNull(), types.StringNull()
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

// find returns nil without an error if the user has no such token.
func find(ctx context.Context, p *framework.ProviderData, workspaceID types.String, id string) (*api.OAuthTokenSummary, error) {
	tokens, err := lookup.UserTokens(ctx, p, p.In(workspaceID))
	for _, token := range tokens {
		if client.SameID(token.ID, id) {
			return &token, err
		}
	}
	return nil, err
}

// forget drops the cached list after a write, whether it succeeded or not.
func forget(p *framework.ProviderData, workspaceID types.String) {
	lookup.ForgetUserTokens(p, p.In(workspaceID))
}
