package store

import (
	"time"
)

// OAuthToken is a row of oauth_tokens.
type OAuthToken struct {
	ID          string
	WorkspaceID string
	UserID      string
	ProviderID  string
	// AgentID is set for a token that belongs to an agent; UserID is then the user who stored it.
	AgentID       *string
	Label         *string
	Scopes        []string
	Metadata      *string // A JSON object.
	SealedAccess  []byte
	SealedRefresh []byte // Nil if the token can't be refreshed.
	ExpiresAt     *time.Time
	IsDefault     bool
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

//nolint:gosec // There is no credential in it.
const selectOAuthToken = `
SELECT t.id, t.workspace_id, t.user_id, t.provider_id, t.agent_id, t.label, t.scopes, t.metadata, t.sealed_access, t.sealed_refresh,
       t.expires_at, t.is_default, t.created_at, t.updated_at
FROM oauth_tokens t
`

// mostWanted sorts the default first, then newer tokens before older ones.
const mostWanted = " ORDER BY t.is_default DESC, t.seq DESC LIMIT 1"

func scanOAuthToken(row scanner) (OAuthToken, error) {
	var t OAuthToken
	err := row.Scan(&t.ID, &t.WorkspaceID, &t.UserID, &t.ProviderID, &t.AgentID, &t.Label, (*jsonList)(&t.Scopes), &t.Metadata,
		&t.SealedAccess, &t.SealedRefresh, nullableTimeColumn{&t.ExpiresAt}, &t.IsDefault, timeColumn{&t.CreatedAt}, timeColumn{&t.UpdatedAt})
	return t, err
}

// OAuthToken reads one token.
func (t *Tx) OAuthToken(workspaceID, id string) (OAuthToken, error) {
	return queryOne(t, scanOAuthToken, selectOAuthToken+"WHERE t.workspace_id = ? AND t.id = ?", workspaceID, id)
}

// OAuthTokens lists the tokens of a user, oldest first; for all providers if providerID is nil.
func (t *Tx) OAuthTokens(workspaceID, userID string, providerID *string) ([]OAuthToken, error) {
	return query(t, scanOAuthToken, selectOAuthToken+`
		WHERE t.workspace_id = ?1 AND t.user_id = ?2 AND (t.provider_id = ?3 OR ?3 IS NULL) AND t.agent_id IS NULL ORDER BY t.seq`,
		workspaceID, userID, providerID)
}

// DefaultOAuthToken reads the default token of a user for a provider; if there is none, the newest.
func (t *Tx) DefaultOAuthToken(workspaceID, userID, providerID string) (OAuthToken, error) {
	return queryOne(t, scanOAuthToken, selectOAuthToken+`
		WHERE t.workspace_id = ? AND t.user_id = ? AND t.provider_id = ? AND t.agent_id IS NULL`+mostWanted,
		workspaceID, userID, providerID)
}

// AgentOAuthToken reads the token that belongs to an agent.
func (t *Tx) AgentOAuthToken(workspaceID, agentID, providerID string) (OAuthToken, error) {
	return queryOne(t, scanOAuthToken, selectOAuthToken+"WHERE t.workspace_id = ? AND t.agent_id = ? AND t.provider_id = ?"+mostWanted,
		workspaceID, agentID, providerID)
}

// ConnectedOAuthToken reads the token of a user to which an agent is connected: of several, the default or else the
// newest.
func (t *Tx) ConnectedOAuthToken(workspaceID, userID, agentID, providerID string) (OAuthToken, error) {
	return queryOne(t, scanOAuthToken, selectOAuthToken+`
		JOIN agent_connections c ON c.oauth_token_id = t.id
		WHERE t.workspace_id = ? AND t.user_id = ? AND c.agent_id = ? AND t.provider_id = ? AND t.agent_id IS NULL`+mostWanted,
		workspaceID, userID, agentID, providerID)
}

// OAuthTokensOfType lists the tokens of all users, and agents, for providers of a type.
func (t *Tx) OAuthTokensOfType(workspaceID, providerType string) ([]OAuthToken, error) {
	return query(t, scanOAuthToken, selectOAuthToken+`
		JOIN oauth_providers p ON p.workspace_id = t.workspace_id AND p.provider_id = t.provider_id
		WHERE t.workspace_id = ? AND p.provider_type = ? ORDER BY t.seq`,
		workspaceID, providerType)
}

// InsertOAuthToken adds a token. If it is the default, it replaces the current default.
func (t *Tx) InsertOAuthToken(token OAuthToken) error {
	if err := t.moveDefault(token); err != nil {
		return err
	}
	return t.exec(`
		INSERT INTO oauth_tokens (id, workspace_id, user_id, provider_id, agent_id, label, scopes, metadata, sealed_access, sealed_refresh,
			expires_at, is_default, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		token.ID, token.WorkspaceID, token.UserID, token.ProviderID, token.AgentID, token.Label, jsonList(token.Scopes), token.Metadata,
		token.SealedAccess, token.SealedRefresh, nullableMicros(token.ExpiresAt), token.IsDefault, micros(token.CreatedAt), micros(token.UpdatedAt))
}

// UpdateOAuthToken writes the columns that can change.
func (t *Tx) UpdateOAuthToken(token OAuthToken) error {
	if err := t.moveDefault(token); err != nil {
		return err
	}
	return t.execOne(`
		UPDATE oauth_tokens SET label = ?, scopes = ?, metadata = ?, sealed_access = ?, sealed_refresh = ?, expires_at = ?, is_default = ?,
			updated_at = ?
		WHERE workspace_id = ? AND id = ?`,
		token.Label, jsonList(token.Scopes), token.Metadata, token.SealedAccess, token.SealedRefresh, nullableMicros(token.ExpiresAt), token.IsDefault,
		micros(token.UpdatedAt), token.WorkspaceID, token.ID)
}

// moveDefault unsets the current default if a token is to become the default.
func (t *Tx) moveDefault(token OAuthToken) error {
	if !token.IsDefault {
		return nil
	}
	return t.exec(`
		UPDATE oauth_tokens SET is_default = ?
		WHERE workspace_id = ? AND user_id = ? AND provider_id = ? AND agent_id IS NULL AND id <> ?`,
		false, token.WorkspaceID, token.UserID, token.ProviderID, token.ID)
}

// DeleteOAuthToken deletes a token and the connections to it.
func (t *Tx) DeleteOAuthToken(workspaceID, id string) error {
	return t.execOne("DELETE FROM oauth_tokens WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
