package store

// ThreadShare returns the token of a conversation that is shared; the error is ErrNotFound if it isn't.
func (t *Tx) ThreadShare(workspaceID, projectID, threadID string) (token string, err error) {
	return queryOne(t, scanText, "SELECT s.token FROM thread_shares s WHERE s."+ofProject+" AND s.thread_id = ?3", workspaceID, projectID, threadID)
}

// ShareThread adds the share of a conversation that isn't shared.
func (t *Tx) ShareThread(workspaceID, projectID, threadID, token string) error {
	return t.execOne("INSERT INTO thread_shares (token, project, thread_id) SELECT ?4, p.seq, ?3 FROM projects p WHERE p.workspace_id = ?1 AND p.id = ?2",
		workspaceID, projectID, threadID, token)
}

// UnshareThread deletes the share of a conversation, if there is one.
func (t *Tx) UnshareThread(workspaceID, projectID, threadID string) error {
	return t.exec("DELETE FROM thread_shares WHERE "+ofProject+" AND thread_id = ?3", workspaceID, projectID, threadID)
}
