package oauthprovider

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// newModel converts the provider that the service returned. prior, a state or a plan, supplies what the service doesn't
// return: the secret, and fields that older installations don't have. The result has no unknown values.
func newModel(prior model, answer api.OAuthProviderResponse) model {
	m := prior
	m.ProviderID = types.StringValue(answer.ProviderID)
	m.Name = types.StringValue(answer.Name)
	m.MCPServerURL = sameServer(prior.MCPServerURL, framework.String(answer.MCPServerURL))
	m.ClientID = types.StringValue(answer.ClientID)
	m.AuthURL = types.StringValue(answer.AuthURL)
	m.TokenURL = types.StringValue(answer.TokenURL)
	m.UsesPKCE = types.BoolValue(answer.UsesPKCE)
	m.CodeChallengeMethod = answeredOr(framework.String(answer.CodeChallengeMethod), prior.CodeChallengeMethod,
		types.StringValue(defaultCodeChallengeMethod))
	m.ProviderType = framework.String(answer.ProviderType)
	m.TokenEndpointAuthMethod = answeredOr(framework.StringOrNull(answer.TokenEndpointAuthMethod),
		prior.TokenEndpointAuthMethod, types.StringValue(string(defaultTokenEndpointAuthMethod)))
	m.AuthorizationParams = answeredOr(framework.TextMap(answer.AuthorizationParams), prior.AuthorizationParams, noParams)
	m.AllowedRedirectURIs = answeredOr(framework.TextsInOrder(prior.AllowedRedirectURIs, answer.AllowedRedirectURIs), prior.AllowedRedirectURIs, noURIs)
	m.DeletionProtection = answeredOr(types.BoolNull(), prior.DeletionProtection, types.BoolValue(false))
	m.ID = types.StringValue(answer.ID)
	m.OrganizationID = framework.StringOrNull(answer.OrganizationID)
	m.DefaultRedirectURI = framework.String(answer.DefaultRedirectURI)
	m.IsDynamicClient = types.BoolValue(answer.IsDynamicClient)
	m.CreatedAt = framework.StringOrNull(answer.CreatedAt)
	m.UpdatedAt = framework.StringOrNull(answer.UpdatedAt)
	return m
}

// sameServer returns prior if the service returned the same URL with or without a trailing slash, which is no change.
func sameServer(prior, answered types.String) types.String {
	if strings.TrimSuffix(prior.ValueString(), "/") == strings.TrimSuffix(answered.ValueString(), "/") && !answered.IsNull() && !prior.IsNull() {
		return prior
	}
	return answered
}

// answeredOr returns prior if the service returns no value, or the default if prior is unknown.
func answeredOr[T attr.Value](answered, prior, byDefault T) T {
	switch {
	case !answered.IsNull():
		return answered
	case !prior.IsNull() && !prior.IsUnknown():
		return prior
	}
	return byDefault
}
