package store

import (
	"time"
)

// OAuthFlow is a row of oauth_flows.
type OAuthFlow struct {
	ID          string
	StateDigest []byte
	WorkspaceID string
	UserID      string
	ProviderID  string
	AgentID     *string
	// TokenID is the token that the flow renews, if any; after its completion, the token that it has created.
	TokenID        *string
	Scopes         []string
	IsDefault      bool
	RedirectURI    string
	SealedVerifier []byte
	Status         OAuthFlowStatus
	CreatedAt      time.Time
	ExpiresAt      time.Time
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

const selectOAuthFlow = `
SELECT id, state_digest, workspace_id, user_id, provider_id, agent_id, token_id, scopes, is_default, redirect_uri, sealed_verifier, status,
       created_at, expires_at
FROM oauth_flows
`

func scanOAuthFlow(row scanner) (OAuthFlow, error) {
	var f OAuthFlow
	err := row.Scan(&f.ID, &f.StateDigest, &f.WorkspaceID, &f.UserID, &f.ProviderID, &f.AgentID, &f.TokenID, (*jsonList)(&f.Scopes),
		&f.IsDefault, &f.RedirectURI, &f.SealedVerifier, &f.Status, timeColumn{&f.CreatedAt}, timeColumn{&f.ExpiresAt})
	return f, err
}

// OAuthFlow reads a flow by ID.
func (t *Tx) OAuthFlow(workspaceID, id string) (OAuthFlow, error) {
	return queryOne(t, scanOAuthFlow, selectOAuthFlow+"WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// OAuthFlowOf reads a flow by state, when the workspace is unknown.
func (t *Tx) OAuthFlowOf(stateDigest []byte) (OAuthFlow, error) {
	return queryOne(t, scanOAuthFlow, selectOAuthFlow+"WHERE state_digest = ?", stateDigest)
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
	return t.exec(`
		INSERT INTO oauth_flows (id, state_digest, workspace_id, user_id, provider_id, agent_id, token_id, scopes, is_default, redirect_uri,
			sealed_verifier, status, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		f.ID, f.StateDigest, f.WorkspaceID, f.UserID, f.ProviderID, f.AgentID, f.TokenID, jsonList(f.Scopes), f.IsDefault, f.RedirectURI,
		f.SealedVerifier, f.Status, micros(f.CreatedAt), micros(f.ExpiresAt))
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
	return t.execOne("UPDATE oauth_flows SET status = ?, token_id = ? WHERE workspace_id = ? AND id = ?", f.Status, f.TokenID, f.WorkspaceID, f.ID)
}
