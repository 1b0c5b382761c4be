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

var oauthProviderKind = kind{"an OAuth provider", "provider_id"}

func (c *Client) oauthProviders() collection[api.OAuthProviderResponse] {
	return collection[api.OAuthProviderResponse]{
		client: c, kind: oauthProviderKind, path: oauthProvidersPath, list: c.ListOAuthProviders, check: isOAuthProvider,
		id: oauthProviderID, pathName: func(p api.OAuthProviderResponse) string { return p.ProviderID },
	}
}

func oauthProviderID(p api.OAuthProviderResponse) string { return p.ID }

// isOAuthProvider checks that a response is the provider with a provider_id.
func isOAuthProvider(providerID string) func(*api.OAuthProviderResponse) error {
	return func(p *api.OAuthProviderResponse) error {
		if p.ID == "" || p.ProviderID == "" {
			return errors.New("the response is not an OAuth provider: it has no id or no provider_id")
		}
		return checkName(oauthProviderKind, providerID, p.ID, p.ProviderID)
	}
}

// ListOAuthProviders lists the OAuth providers of the organization.
func (c *Client) ListOAuthProviders(ctx context.Context) iter.Seq2[api.OAuthProviderResponse, error] {
	return c.PageOAuthProviders().all(ctx)
}

// PageOAuthProviders reads the OAuth providers of the organization page by page.
func (c *Client) PageOAuthProviders() *Pager[api.OAuthProviderResponse] {
	return wholeOrPages(c, oauthProvidersPath, oauthProviderID)
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

// GetOAuthProvider reads one OAuth provider by its provider_id.
func (c *Client) GetOAuthProvider(ctx context.Context, providerID string) (*api.OAuthProviderResponse, error) {
	return c.oauthProviders().get(ctx, providerID)
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
		collection: c.oauthProviders(), name: providerID, unique: true, request: r, accept: isOAuthProvider(providerID),
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
		collection: c.oauthProviders(), objectID: providerID,
		request: request{
			method: http.MethodPatch, path: pathTo(oauthProvidersPath, providerID), body: req, merges: 1, secrets: secretValue(req.ClientSecret),
		},
		untouched: func(p api.OAuthProviderResponse) bool { return updatedAt != "" && p.UpdatedAt == updatedAt },
	}.send(ctx)
}

// DeleteOAuthProvider deletes an OAuth provider.
func (c *Client) DeleteOAuthProvider(ctx context.Context, providerID string) error {
	return c.oauthProviders().delete(ctx, providerID, http.MethodGet)
}

// secretValue returns the value that errors must not quote.
func secretValue(secret api.Optional[string]) []string {
	value, sent := secret.Get()
	if !sent {
		return nil
	}
	return []string{value}
}
