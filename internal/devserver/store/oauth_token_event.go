package store

import (
	"time"
)

// OAuthTokenEvent is a row of oauth_token_events.
type OAuthTokenEvent struct {
	ID          string
	WorkspaceID string
	UserID      string
	ProviderID  string
	AgentID     *string
	Type        string
	Reason      *string
	Source      string
	Label       *string
	Scopes      []string
	CreatedAt   time.Time
}

func scanOAuthTokenEvent(row scanner) (OAuthTokenEvent, error) {
	var e OAuthTokenEvent
	err := row.Scan(&e.ID, &e.WorkspaceID, &e.UserID, &e.ProviderID, &e.AgentID, &e.Type, &e.Reason, &e.Source, &e.Label,
		(*jsonList)(&e.Scopes), timeColumn{&e.CreatedAt})
	return e, err
}

// OAuthTokenEvents lists the newest events of a user, newest first; for all providers if providerID is nil.
func (t *Tx) OAuthTokenEvents(workspaceID, userID string, providerID *string, limit int) ([]OAuthTokenEvent, error) {
	return query(t, scanOAuthTokenEvent, `
		SELECT id, workspace_id, user_id, provider_id, agent_id, event_type, reason, source, label, scopes, created_at
		FROM oauth_token_events
		WHERE workspace_id = ?1 AND user_id = ?2 AND (provider_id = ?3 OR ?3 IS NULL) ORDER BY seq DESC LIMIT ?4`,
		workspaceID, userID, providerID, limit)
}

// InsertOAuthTokenEvent adds an event, and deletes the user's oldest events beyond most.
func (t *Tx) InsertOAuthTokenEvent(e OAuthTokenEvent, most int) error {
	err := t.exec(`
		DELETE FROM oauth_token_events WHERE seq IN (
			SELECT seq FROM oauth_token_events WHERE workspace_id = ? AND user_id = ? ORDER BY seq DESC LIMIT 9223372036854775807 OFFSET ?)`,
		e.WorkspaceID, e.UserID, most-1)
	if err != nil {
		return err
	}
	return t.exec(`
		INSERT INTO oauth_token_events (id, workspace_id, user_id, provider_id, agent_id, event_type, reason, source, label, scopes, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.ID, e.WorkspaceID, e.UserID, e.ProviderID, e.AgentID, e.Type, e.Reason, e.Source, e.Label, jsonList(e.Scopes), micros(e.CreatedAt))
}
