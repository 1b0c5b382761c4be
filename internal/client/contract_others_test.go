package client_test

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func providerRequest(slug string) api.OAuthProviderCreateRequest {
	return api.OAuthProviderCreateRequest{
		ProviderID: slug, Name: "Mail", ClientID: "c", ClientSecret: api.Some("hunter22"),
		AuthURL: "https://mail.example.com/auth", TokenURL: "https://mail.example.com/token", UsesPKCE: api.Some(true),
		ProviderType: api.Some(api.OAuthProviderMicrosoft), AllowedRedirectURIs: api.Some([]string{"https://a.example.com"}),
	}
}
