package store

import "time"

// OAuthFlow is a row of oauth_flows.
type OAuthFlow struct {
	ID          string  `db:"id"`
	StateDigest []byte  `db:"state_digest"`
	WorkspaceID string  `db:"workspace_id"`
	UserID      string  `db:"user_id"`
	ProviderID  string  `db:"provider_id"`
	AgentID     *string `db:"agent_id"`
	// TokenID is the token that the flow renews, if any; after its completion, the token that it has created.
	TokenID        *string         `db:"token_id"`
	Scopes         []string        `db:"scopes"`
	IsDefault      bool            `db:"is_default"`
	RedirectURI    string          `db:"redirect_uri"`
	SealedVerifier []byte          `db:"sealed_verifier"`
	Status         OAuthFlowStatus `db:"status"`
	CreatedAt      time.Time       `db:"created_at"`
	ExpiresAt      time.Time       `db:"expires_at"`
}

// OAuthFlowStatus is the state of a flow.
type OAuthFlowStatus string

// The states of flows.
const (
	OAuthFlowPending    OAuthFlowStatus = "pending"
	OAuthFlowExchanging OAuthFlowStatus = "exchanging" // The code was received.
	OAuthFlowCompleted  OAuthFlowStatus = "completed"
	OAuthFlowFailed     OAuthFlowStatus = "failed"
)

var oauthFlows = tableOf[OAuthFlow]("oauth_flows", "workspace_id", "id")

// OAuthFlow reads a flow by ID.
func (t *Tx) OAuthFlow(workspaceID, id string) (OAuthFlow, error) {
	return oauthFlows.one(t, "WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// OAuthFlowOf reads a flow by state, when the workspace is unknown.
func (t *Tx) OAuthFlowOf(stateDigest []byte) (OAuthFlow, error) {
	return oauthFlows.one(t, "WHERE state_digest = ?", stateDigest)
}

// InsertOAuthFlow adds a flow. It deletes expired flows, and the user's oldest flows beyond most.
func (t *Tx) InsertOAuthFlow(f OAuthFlow, most int) error {
	err := t.exec("DELETE FROM oauth_flows WHERE expires_at <= ?", micros(f.CreatedAt))
	if err != nil {
		return err
	}
	err = t.exec(`
		DELETE FROM oauth_flows WHERE seq IN (
			SELECT seq FROM oauth_flows WHERE workspace_id = ? AND user_id = ? ORDER BY seq DESC LIMIT 9223372036854775807 OFFSET ?)`,
		f.WorkspaceID, f.UserID, most-1)
	if err != nil {
		return err
	}
	return oauthFlows.insert(t, f)
}

// VoidOAuthGrants deletes the refresh tokens of a provider and ends its pending flows. Access tokens stay valid.
func (t *Tx) VoidOAuthGrants(workspaceID, providerID string) error {
	err := t.exec(`
		UPDATE oauth_tokens SET sealed_refresh = NULL
		WHERE workspace_id = ? AND provider_id = ? AND sealed_refresh IS NOT NULL`, workspaceID, providerID)
	if err != nil {
		return err
	}
	return t.exec(`
		UPDATE oauth_flows SET status = ?
		WHERE workspace_id = ? AND provider_id = ? AND status IN (?, ?)`,
		OAuthFlowFailed, workspaceID, providerID, OAuthFlowPending, OAuthFlowExchanging)
}

// UpdateOAuthFlow writes the status and the token.
func (t *Tx) UpdateOAuthFlow(f OAuthFlow) error {
	return oauthFlows.update(t, f, "status", "token_id")
}
