package client

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const (
	oauthProvidersPath = "/v2/auth/providers"
	mcpDiscoverPath    = oauthProvidersPath + "/mcp-discover"
)

// CreateOAuthProvider creates an OAuth provider. If the reply is lost, it looks for the provider by its provider_id and returns it
// if it is provably the result of this call; otherwise the error is an *OutcomeUnknownError. Responses don't contain the secret: if another
// client creates the same provider at the same moment with another secret, that is not noticed.
func (c *Client) CreateOAuthProvider(
	ctx context.Context, req api.OAuthProviderCreateRequest,
) (*api.OAuthProviderResponse, error) {
	return c.createOAuthProvider(ctx, request{
		method: http.MethodPost, path: oauthProvidersPath, body: req, merges: 2, secrets: secretValue(req.ClientSecret),
	}, req.ProviderID)
}

// CreateMCPOAuthProvider creates the OAuth provider of an MCP server: the service discovers the authorization server and registers a
// client there. A lost reply is handled as in CreateOAuthProvider.
func (c *Client) CreateMCPOAuthProvider(
	ctx context.Context, req api.MCPOAuthProviderCreateRequest,
) (*api.OAuthProviderResponse, error) {
	return c.createOAuthProvider(ctx, request{method: http.MethodPost, path: mcpDiscoverPath, body: req, merges: 2}, req.ProviderID)
}

func (c *Client) createOAuthProvider(ctx context.Context, r request, providerID string) (*api.OAuthProviderResponse, error) {
	return create(ctx, c, r, isOAuthProvider(providerID), creating[api.OAuthProviderResponse]{
		kind: oauthProviderKind, name: providerID, unique: true,
		list:  c.ListOAuthProviders,
		match: func(p api.OAuthProviderResponse) bool { return p.ProviderID == providerID },
		id:    func(p api.OAuthProviderResponse) string { return p.ID },
	})
}

// GetOAuthProvider reads one OAuth provider by its provider_id.
func (c *Client) GetOAuthProvider(ctx context.Context, providerID string) (*api.OAuthProviderResponse, error) {
	r := request{method: http.MethodGet, path: pathTo(oauthProvidersPath, providerID)}
	provider, _, err := fetch(ctx, c, r, isOAuthProvider(providerID))
	return provider, err
}

// ListOAuthProviders lists the OAuth providers of the organization. The service returns a bare array.
func (c *Client) ListOAuthProviders(ctx context.Context) iter.Seq2[api.OAuthProviderResponse, error] {
	return c.PageOAuthProviders().all(ctx)
}

// PageOAuthProviders reads the OAuth providers of the organization page by page.
func (c *Client) PageOAuthProviders() *Pager[api.OAuthProviderResponse] {
	return wholeOrPages(c, oauthProvidersPath, func(p api.OAuthProviderResponse) string { return p.ID })
}

// PatchOAuthProvider changes an OAuth provider, and returns it as the service then shows it. If it doesn't show the change, the error
// is an *OutcomeUnknownError. No read shows a client secret: it has changed if the provider has another updated_at than before.
func (c *Client) PatchOAuthProvider(
	ctx context.Context, providerID string, req api.OAuthProviderUpdateRequest, updatedAt string,
) (*api.OAuthProviderResponse, error) {
	return changing[api.OAuthProviderResponse]{
		request: request{
			method: http.MethodPatch, path: pathTo(oauthProvidersPath, providerID), body: req, merges: 1, secrets: secretValue(req.ClientSecret),
		},
		kind: oauthProviderKind, id: providerID, check: isOAuthProvider(providerID),
		read: func(ctx context.Context) (*api.OAuthProviderResponse, error) {
			return c.GetOAuthProvider(ctx, providerID)
		},
		untouched: func(p api.OAuthProviderResponse) bool { return updatedAt != "" && p.UpdatedAt == updatedAt },
	}.prove(ctx, c)
}

// DeleteOAuthProvider deletes an OAuth provider. If it doesn't exist, that is an error, unless an earlier attempt of this call
// deleted it.
func (c *Client) DeleteOAuthProvider(ctx context.Context, providerID string) error {
	deletion := request{method: http.MethodDelete, path: pathTo(oauthProvidersPath, providerID)}
	return removeProved(ctx, c, deletion, deletion.read(), c.ListOAuthProviders(ctx), func(p api.OAuthProviderResponse) bool {
		return p.ProviderID == providerID
	})
}

// isOAuthProvider checks that the response is the provider with that provider_id.
func isOAuthProvider(providerID string) func(*api.OAuthProviderResponse) error {
	return func(p *api.OAuthProviderResponse) error {
		if p.ID == "" || p.ProviderID == "" {
			return errors.New("the response is not an OAuth provider: it has no id or no provider_id")
		}
		return isNamed("OAuth provider", "provider_id", providerID, p.ProviderID)
	}
}

// secretValue returns the value that errors must not quote.
func secretValue(secret api.Optional[string]) []string {
	value, sent := secret.Get()
	if !sent {
		return nil
	}
	return []string{value}
}
