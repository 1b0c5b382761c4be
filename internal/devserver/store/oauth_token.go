package store

import "time"

// OAuthToken is a row of oauth_tokens.
type OAuthToken struct {
	ID          string `db:"id"`
	WorkspaceID string `db:"workspace_id"`
	UserID      string `db:"user_id"`
	ProviderID  string `db:"provider_id"`
	// AgentID is set for a token that belongs to an agent; UserID is then the user who stored it.
	AgentID       *string    `db:"agent_id"`
	Label         *string    `db:"label"`
	Scopes        []string   `db:"scopes"`
	Metadata      *string    `db:"metadata"` // A JSON object.
	SealedAccess  []byte     `db:"sealed_access"`
	SealedRefresh []byte     `db:"sealed_refresh"` // Nil if the token can't be refreshed.
	ExpiresAt     *time.Time `db:"expires_at"`
	IsDefault     bool       `db:"is_default"`
	CreatedAt     time.Time  `db:"created_at"`
	UpdatedAt     time.Time  `db:"updated_at"`
}

var oauthTokens = tableOf[OAuthToken]("oauth_tokens", "workspace_id", "id")

// mostWanted sorts the default first, then newer tokens before older ones.
const mostWanted = " ORDER BY t.is_default DESC, t.seq DESC LIMIT 1"

// OAuthToken reads one token.
func (t *Tx) OAuthToken(workspaceID, id string) (OAuthToken, error) {
	return oauthTokens.one(t, "t WHERE t.workspace_id = ? AND t.id = ?", workspaceID, id)
}

// OAuthTokens lists the tokens of a user, oldest first; for all providers if providerID is nil.
func (t *Tx) OAuthTokens(workspaceID, userID string, providerID *string) ([]OAuthToken, error) {
	return oauthTokens.find(t, `t
		WHERE t.workspace_id = ?1 AND t.user_id = ?2 AND (t.provider_id = ?3 OR ?3 IS NULL) AND t.agent_id IS NULL ORDER BY t.seq`,
		workspaceID, userID, providerID)
}

// DefaultOAuthToken reads the default token of a user for a provider; if there is none, the newest.
func (t *Tx) DefaultOAuthToken(workspaceID, userID, providerID string) (OAuthToken, error) {
	return oauthTokens.one(t, "t WHERE t.workspace_id = ? AND t.user_id = ? AND t.provider_id = ? AND t.agent_id IS NULL"+mostWanted,
		workspaceID, userID, providerID)
}

// AgentOAuthToken reads the token that belongs to an agent.
func (t *Tx) AgentOAuthToken(workspaceID, agentID, providerID string) (OAuthToken, error) {
	return oauthTokens.one(t, "t WHERE t.workspace_id = ? AND t.agent_id = ? AND t.provider_id = ?"+mostWanted,
		workspaceID, agentID, providerID)
}

// ConnectedOAuthToken reads the token of a user to which an agent is connected: of several, the default or else the
// newest.
func (t *Tx) ConnectedOAuthToken(workspaceID, userID, agentID, providerID string) (OAuthToken, error) {
	return queryOne(t, oauthTokens.scan, oauthTokens.selection("t")+`
		JOIN agent_connections c ON c.oauth_token_id = t.id
		WHERE t.workspace_id = ? AND t.user_id = ? AND c.agent_id = ? AND t.provider_id = ? AND t.agent_id IS NULL`+mostWanted,
		workspaceID, userID, agentID, providerID)
}

// OAuthTokensOfType lists the tokens of all users, and agents, for providers of a type.
func (t *Tx) OAuthTokensOfType(workspaceID, providerType string) ([]OAuthToken, error) {
	return query(t, oauthTokens.scan, oauthTokens.selection("t")+`
		JOIN oauth_providers p ON p.workspace_id = t.workspace_id AND p.provider_id = t.provider_id
		WHERE t.workspace_id = ? AND p.provider_type = ? ORDER BY t.seq`,
		workspaceID, providerType)
}

// InsertOAuthToken adds a token. If it is the default, it replaces the current default.
func (t *Tx) InsertOAuthToken(token OAuthToken) error {
	if err := t.moveDefault(token); err != nil {
		return err
	}
	return oauthTokens.insert(t, token)
}

// UpdateOAuthToken writes the columns that can change.
func (t *Tx) UpdateOAuthToken(token OAuthToken) error {
	if err := t.moveDefault(token); err != nil {
		return err
	}
	return oauthTokens.update(t, token, "label", "scopes", "metadata", "sealed_access", "sealed_refresh", "expires_at", "is_default", "updated_at")
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
