package oauthprovider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// toCreate converts the whole provider to a create request. Everything in m is known, including the write-only secret.
func (m model) toCreate() api.OAuthProviderCreateRequest {
	return api.OAuthProviderCreateRequest{
		ProviderID:              m.ProviderID.ValueString(),
		Name:                    m.Name.ValueString(),
		ClientID:                m.ClientID.ValueString(),
		ClientSecret:            framework.ToOptional[string](m.secret()),
		AuthURL:                 m.AuthURL.ValueString(),
		TokenURL:                m.TokenURL.ValueString(),
		UsesPKCE:                api.Some(m.UsesPKCE.ValueBool()),
		CodeChallengeMethod:     framework.ToOptional[string](m.CodeChallengeMethod),
		ProviderType:            framework.ToOptional[api.OAuthProviderType](m.ProviderType),
		TokenEndpointAuthMethod: framework.ToOptional[api.TokenEndpointAuthMethod](m.TokenEndpointAuthMethod),
		AuthorizationParams:     api.Some(framework.TextsByKey[string](m.AuthorizationParams)),
		AllowedRedirectURIs:     api.Some(framework.Texts[string](m.AllowedRedirectURIs)),
	}
}

// toDiscover is a create request for which the service discovers the rest.
func (m model) toDiscover() api.MCPOAuthProviderCreateRequest {
	return api.MCPOAuthProviderCreateRequest{
		ProviderID: m.ProviderID.ValueString(), Name: m.Name.ValueString(), MCPServerURL: m.MCPServerURL.ValueString(),
	}
}

// toPatch is the request that changes current to m: the fields that differ, without the secret, which can't be compared.
func (m model) toPatch(current model) api.OAuthProviderUpdateRequest {
	patch := api.OAuthProviderUpdateRequest{
		Name:                framework.Changed[string](m.Name, current.Name),
		ClientID:            framework.Changed[string](m.ClientID, current.ClientID),
		AuthURL:             framework.Changed[string](m.AuthURL, current.AuthURL),
		TokenURL:            framework.Changed[string](m.TokenURL, current.TokenURL),
		CodeChallengeMethod: framework.Changed[string](m.CodeChallengeMethod, current.CodeChallengeMethod),
	}
	if !m.UsesPKCE.Equal(current.UsesPKCE) {
		patch.UsesPKCE = api.Some(m.UsesPKCE.ValueBool())
	}
	if !m.AuthorizationParams.Equal(current.AuthorizationParams) {
		patch.AuthorizationParams = api.Some(framework.TextsByKey[string](m.AuthorizationParams))
	}
	if !m.AllowedRedirectURIs.Equal(current.AllowedRedirectURIs) {
		patch.AllowedRedirectURIs = api.Some(framework.Texts[string](m.AllowedRedirectURIs))
	}
	return patch
}

// differs reports whether toPatch has, or may have, something to change. Values may be unknown.
func (m model) differs(current model) bool {
	return !slices.EqualFunc(m.patchable(), current.patchable(), attr.Value.Equal)
}

func (m model) patchable() []attr.Value {
	return []attr.Value{
		m.Name, m.ClientID, m.AuthURL, m.TokenURL, m.UsesPKCE, m.CodeChallengeMethod, m.AuthorizationParams,
		m.AllowedRedirectURIs,
	}
}
