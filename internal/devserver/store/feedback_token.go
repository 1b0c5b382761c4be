package store

import "time"

// FeedbackToken lets anyone who has it give feedback on a run, under one key.
type FeedbackToken struct {
	Token       string    `db:"token"`
	WorkspaceID string    `db:"workspace_id"`
	RunID       string    `db:"run_id"`
	Key         string    `db:"key"`
	ExpiresAt   time.Time `db:"expires_at"`
	Uses        int       `db:"uses"`
}

var feedbackTokens = tableOf[FeedbackToken]("feedback_tokens")

// FeedbackToken reads one, of any workspace.
func (t *Tx) FeedbackToken(token string) (FeedbackToken, error) {
	return feedbackTokens.one(t, "WHERE token = ?", token)
}

// FeedbackTokens lists those of a run that are valid at a time, oldest first.
func (t *Tx) FeedbackTokens(workspaceID, runID string, at time.Time, page Page) ([]FeedbackToken, error) {
	return feedbackTokens.find(t, "WHERE workspace_id = ? AND run_id = ? AND expires_at > ? ORDER BY seq LIMIT ? OFFSET ?",
		workspaceID, runID, micros(at), page.Limit, page.Offset)
}

// InsertFeedbackToken adds one.
func (t *Tx) InsertFeedbackToken(f FeedbackToken) error {
	return feedbackTokens.insert(t, f)
}

// UseFeedbackToken counts a use of one.
func (t *Tx) UseFeedbackToken(token string) error {
	return t.execOne("UPDATE feedback_tokens SET uses = uses + 1 WHERE token = ?", token)
}

// DropFeedbackTokens deletes those of all workspaces that expire at a time or before.
func (t *Tx) DropFeedbackTokens(at time.Time) error {
	return t.exec("DELETE FROM feedback_tokens WHERE expires_at <= ?", micros(at))
}
