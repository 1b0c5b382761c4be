package store

import "time"

// FeedbackToken lets anyone who has it give feedback on a run, under one key.
type FeedbackToken struct {
	Token, WorkspaceID, RunID, Key string
	ExpiresAt                      time.Time
	Uses                           int
}

const selectFeedbackToken = "SELECT token, workspace_id, run_id, key, expires_at, uses FROM feedback_tokens " //nolint:gosec // Not a credential.

func scanFeedbackToken(row scanner) (FeedbackToken, error) {
	var f FeedbackToken
	err := row.Scan(&f.Token, &f.WorkspaceID, &f.RunID, &f.Key, timeColumn{&f.ExpiresAt}, &f.Uses)
	return f, err
}

// FeedbackToken reads one, of any workspace.
func (t *Tx) FeedbackToken(token string) (FeedbackToken, error) {
	return queryOne(t, scanFeedbackToken, selectFeedbackToken+"WHERE token = ?", token)
}

// FeedbackTokens lists those of a run that are valid at a time, oldest first.
func (t *Tx) FeedbackTokens(workspaceID, runID string, at time.Time, page Page) ([]FeedbackToken, error) {
	return query(t, scanFeedbackToken, selectFeedbackToken+
		"WHERE workspace_id = ? AND run_id = ? AND expires_at > ? ORDER BY seq LIMIT ? OFFSET ?",
		workspaceID, runID, micros(at), page.Limit, page.Offset)
}

// InsertFeedbackToken adds one.
func (t *Tx) InsertFeedbackToken(f FeedbackToken) error {
	return t.exec("INSERT INTO feedback_tokens (token, workspace_id, run_id, key, expires_at, uses) VALUES (?, ?, ?, ?, ?, ?)",
		f.Token, f.WorkspaceID, f.RunID, f.Key, micros(f.ExpiresAt), f.Uses)
}

// UseFeedbackToken counts a use of one.
func (t *Tx) UseFeedbackToken(token string) error {
	return t.execOne("UPDATE feedback_tokens SET uses = uses + 1 WHERE token = ?", token)
}

// DropFeedbackTokens deletes those of all workspaces that expire at a time or before.
func (t *Tx) DropFeedbackTokens(at time.Time) error {
	return t.exec("DELETE FROM feedback_tokens WHERE expires_at <= ?", micros(at))
}
