package store

import "time"

// OAuthProvider is a row of oauth_providers.
type OAuthProvider struct {
	ID                      string    `db:"id"`
	WorkspaceID             string    `db:"workspace_id"`
	ProviderID              string    `db:"provider_id"`
	Name                    string    `db:"name"`
	ClientID                string    `db:"client_id"`
	AuthURL                 string    `db:"auth_url"`
	TokenURL                string    `db:"token_url"`
	UsesPKCE                bool      `db:"uses_pkce"`
	CodeChallengeMethod     string    `db:"code_challenge_method"`
	ProviderType            *string   `db:"provider_type"`
	TokenEndpointAuthMethod string    `db:"token_endpoint_auth_method"`
	AuthorizationParams     string    `db:"authorization_params"`  // A JSON object.
	AllowedRedirectURIs     string    `db:"allowed_redirect_uris"` // A JSON array.
	SealedClientSecret      []byte    `db:"sealed_client_secret"`  // Nil if there is none.
	MCPServerURL            *string   `db:"mcp_server_url"`
	IsDynamicClient         bool      `db:"is_dynamic_client"`
	CreatedAt               time.Time `db:"created_at"`
	UpdatedAt               time.Time `db:"updated_at"`
}

var oauthProviders = tableOf[OAuthProvider]("oauth_providers", "workspace_id", "provider_id")

// OAuthProvider reads one provider by the slug with which it was created.
func (t *Tx) OAuthProvider(workspaceID, providerID string) (OAuthProvider, error) {
	return oauthProviders.one(t, "WHERE workspace_id = ? AND provider_id = ?", workspaceID, providerID)
}

// OAuthProviders lists all providers of a workspace, oldest first.
func (t *Tx) OAuthProviders(workspaceID string) ([]OAuthProvider, error) {
	return oauthProviders.find(t, "WHERE workspace_id = ? ORDER BY seq", workspaceID)
}

// InsertOAuthProvider adds a provider.
func (t *Tx) InsertOAuthProvider(p OAuthProvider) error {
	return oauthProviders.insert(t, p)
}

// UpdateOAuthProvider writes the columns that can change.
func (t *Tx) UpdateOAuthProvider(p OAuthProvider) error {
	return oauthProviders.update(t, p, "name", "client_id", "auth_url", "token_url", "uses_pkce", "code_challenge_method", "authorization_params",
		"allowed_redirect_uris", "sealed_client_secret", "updated_at")
}

// DeleteOAuthProvider deletes a provider.
func (t *Tx) DeleteOAuthProvider(workspaceID, providerID string) error {
	return t.execOne("DELETE FROM oauth_providers WHERE workspace_id = ? AND provider_id = ?", workspaceID, providerID)
}
