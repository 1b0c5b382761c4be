package store

import "time"

// OAuthProvider is a row of oauth_providers.
type OAuthProvider struct {
	ID                      string
	WorkspaceID             string
	ProviderID              string
	Name                    string
	ClientID                string
	AuthURL                 string
	TokenURL                string
	UsesPKCE                bool
	CodeChallengeMethod     string
	ProviderType            *string
	TokenEndpointAuthMethod string
	AuthorizationParams     string // A JSON object.
	AllowedRedirectURIs     string // A JSON array.
	SealedClientSecret      []byte // Nil if there is none.
	MCPServerURL            *string
	IsDynamicClient         bool
	CreatedAt               time.Time
	UpdatedAt               time.Time
}

const selectOAuthProvider = `
SELECT id, workspace_id, provider_id, name, client_id, auth_url, token_url, uses_pkce, code_challenge_method,
       provider_type, token_endpoint_auth_method, authorization_params, allowed_redirect_uris, sealed_client_secret,
       mcp_server_url, is_dynamic_client, created_at, updated_at
FROM oauth_providers
`

func scanOAuthProvider(row scanner) (OAuthProvider, error) {
	var p OAuthProvider
	err := row.Scan(&p.ID, &p.WorkspaceID, &p.ProviderID, &p.Name, &p.ClientID, &p.AuthURL, &p.TokenURL, &p.UsesPKCE,
		&p.CodeChallengeMethod, &p.ProviderType, &p.TokenEndpointAuthMethod, &p.AuthorizationParams,
		&p.AllowedRedirectURIs, &p.SealedClientSecret, &p.MCPServerURL, &p.IsDynamicClient, timeColumn{&p.CreatedAt}, timeColumn{&p.UpdatedAt})
	return p, err
}

// OAuthProvider reads one provider by the slug with which it was created.
func (t *Tx) OAuthProvider(workspaceID, providerID string) (OAuthProvider, error) {
	return queryOne(t, scanOAuthProvider, selectOAuthProvider+"WHERE workspace_id = ? AND provider_id = ?",
		workspaceID, providerID)
}

// OAuthProviders lists all providers of a workspace, oldest first.
func (t *Tx) OAuthProviders(workspaceID string) ([]OAuthProvider, error) {
	return query(t, scanOAuthProvider, selectOAuthProvider+"WHERE workspace_id = ? ORDER BY seq", workspaceID)
}

// InsertOAuthProvider adds a provider.
func (t *Tx) InsertOAuthProvider(p OAuthProvider) error {
	return t.exec(`
		INSERT INTO oauth_providers (id, workspace_id, provider_id, name, client_id, auth_url, token_url, uses_pkce,
			code_challenge_method, provider_type, token_endpoint_auth_method, authorization_params,
			allowed_redirect_uris, sealed_client_secret, mcp_server_url, is_dynamic_client, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.ID, p.WorkspaceID, p.ProviderID, p.Name, p.ClientID, p.AuthURL, p.TokenURL, p.UsesPKCE,
		p.CodeChallengeMethod, p.ProviderType, p.TokenEndpointAuthMethod, p.AuthorizationParams,
		p.AllowedRedirectURIs, p.SealedClientSecret, p.MCPServerURL, p.IsDynamicClient, micros(p.CreatedAt), micros(p.UpdatedAt))
}

// UpdateOAuthProvider writes the columns that can change.
func (t *Tx) UpdateOAuthProvider(p OAuthProvider) error {
	return t.execOne(`
		UPDATE oauth_providers SET name = ?, client_id = ?, auth_url = ?, token_url = ?, uses_pkce = ?,
			code_challenge_method = ?, authorization_params = ?, allowed_redirect_uris = ?, sealed_client_secret = ?,
			updated_at = ?
		WHERE workspace_id = ? AND provider_id = ?`,
		p.Name, p.ClientID, p.AuthURL, p.TokenURL, p.UsesPKCE,
		p.CodeChallengeMethod, p.AuthorizationParams, p.AllowedRedirectURIs, p.SealedClientSecret, micros(p.UpdatedAt),
		p.WorkspaceID, p.ProviderID)
}

// DeleteOAuthProvider deletes a provider.
func (t *Tx) DeleteOAuthProvider(workspaceID, providerID string) error {
	return t.execOne("DELETE FROM oauth_providers WHERE workspace_id = ? AND provider_id = ?", workspaceID, providerID)
}
