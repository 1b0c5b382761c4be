package store

import "time"

// OAuthTokenEvent is a row of oauth_token_events.
type OAuthTokenEvent struct {
	ID          string    `db:"id"`
	WorkspaceID string    `db:"workspace_id"`
	UserID      string    `db:"user_id"`
	ProviderID  string    `db:"provider_id"`
	AgentID     *string   `db:"agent_id"`
	Type        string    `db:"event_type"`
	Reason      *string   `db:"reason"`
	Source      string    `db:"source"`
	Label       *string   `db:"label"`
	Scopes      []string  `db:"scopes"`
	CreatedAt   time.Time `db:"created_at"`
}

var oauthTokenEvents = tableOf[OAuthTokenEvent]("oauth_token_events")

// OAuthTokenEvents lists the newest events of a user, newest first; for all providers if providerID is nil.
func (t *Tx) OAuthTokenEvents(workspaceID, userID string, providerID *string, limit int) ([]OAuthTokenEvent, error) {
	return oauthTokenEvents.find(t, `
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
	return oauthTokenEvents.insert(t, e)
}
