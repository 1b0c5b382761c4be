package client

import (
	"context"
	"errors"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const (
	oauthProvidersPath = "/v2/auth/providers"
	mcpDiscoverPath    = oauthProvidersPath + "/mcp-discover"
)

var oauthProviderKind = kind{"an OAuth provider", "provider_id"}

// OAuthProviders are the OAuth providers of the organization, identified by provider_id.
func (c *Client) OAuthProviders() Deletable[api.OAuthProviderResponse] {
	return Deletable[api.OAuthProviderResponse]{Collection: Collection[api.OAuthProviderResponse]{
		client: c, kind: oauthProviderKind, path: oauthProvidersPath, whole: true, check: isOAuthProvider,
		id:       func(p api.OAuthProviderResponse) string { return p.ID },
		pathName: func(p api.OAuthProviderResponse) string { return p.ProviderID },
	}, proof: http.MethodGet}
}

// isOAuthProvider checks that a response is the provider with a provider_id.
func isOAuthProvider(providerID string) func(*api.OAuthProviderResponse) error {
	return func(p *api.OAuthProviderResponse) error {
		if p.ID == "" || p.ProviderID == "" {
			return errors.New("the response is not an OAuth provider: it has no id or no provider_id")
		}
		return checkName(oauthProviderKind, providerID, p.ID, p.ProviderID)
	}
}

// ListPlatformOAuthProviders lists the OAuth providers that come with the platform.
func (c *Client) ListPlatformOAuthProviders(ctx context.Context) ([]api.OAuthProviderResponse, error) {
	list, err := fetchList(ctx, c, request{method: http.MethodGet, path: "/v2/auth/platform-providers"}, listFormat[api.OAuthProviderResponse]{
		nullIsEmpty: true, missing: errors.New("the response is not a list of OAuth providers"),
		check: func(p *api.OAuthProviderResponse) error {
			if p.ProviderID == "" {
				return errors.New("it has no provider_id")
			}
			return nil
		},
	})
	return list.items, err
}

// CreateOAuthProvider creates an OAuth provider. Responses don't contain the client secret: if another client creates the same provider
// at the same moment with another secret, that is not noticed.
func (c *Client) CreateOAuthProvider(ctx context.Context, req api.OAuthProviderCreateRequest) (*api.OAuthProviderResponse, error) {
	return c.createOAuthProvider(ctx, req.ProviderID, request{path: oauthProvidersPath, body: req, secrets: secretValue(req.ClientSecret)})
}

// CreateMCPOAuthProvider creates the OAuth provider of an MCP server: the service discovers the authorization server and registers a
// client there.
func (c *Client) CreateMCPOAuthProvider(ctx context.Context, req api.MCPOAuthProviderCreateRequest) (*api.OAuthProviderResponse, error) {
	return c.createOAuthProvider(ctx, req.ProviderID, request{path: mcpDiscoverPath, body: req})
}

func (c *Client) createOAuthProvider(ctx context.Context, providerID string, r request) (*api.OAuthProviderResponse, error) {
	r.method, r.merges = http.MethodPost, 2
	created, _, err := creation[api.OAuthProviderResponse]{
		Collection: c.OAuthProviders().Collection, name: providerID, unique: true, request: r, accept: isOAuthProvider(providerID),
		match: func(p api.OAuthProviderResponse) bool { return p.ProviderID == providerID },
	}.create(ctx)
	return created, err
}

// PatchOAuthProvider changes an OAuth provider, and returns it as the service then shows it. No read shows a client secret: it has
// changed if the provider has another updated_at than before.
func (c *Client) PatchOAuthProvider(
	ctx context.Context, providerID string, req api.OAuthProviderUpdateRequest, updatedAt string,
) (*api.OAuthProviderResponse, error) {
	return update[api.OAuthProviderResponse]{
		Collection: c.OAuthProviders().Collection, objectID: providerID,
		request: request{
			method: http.MethodPatch, path: pathTo(oauthProvidersPath, providerID), body: req, merges: 1, secrets: secretValue(req.ClientSecret),
		},
		untouched: func(p api.OAuthProviderResponse) bool { return updatedAt != "" && p.UpdatedAt == updatedAt },
	}.send(ctx)
}

// secretValue returns the value that errors must not quote.
func secretValue(secret api.Optional[string]) []string {
	value, sent := secret.Get()
	if !sent {
		return nil
	}
	return []string{value}
}
