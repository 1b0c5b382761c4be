package store

// SavedView is a search in a project that a user has named.
type SavedView struct{ Name, Query string }

const ofProject = "project = (SELECT p.seq FROM projects p WHERE p.workspace_id = ?1 AND p.id = ?2)"

// SavedViews lists those of a user in a project, by name.
func (t *Tx) SavedViews(workspaceID, projectID, userID string) ([]SavedView, error) {
	return query(t, func(row scanner) (SavedView, error) {
		var v SavedView
		err := row.Scan(&v.Name, &v.Query)
		return v, err
	}, "SELECT v.name, v.query FROM saved_views v WHERE v.workspace_id = ?1 AND v."+ofProject+" AND v.user_id = ?3 ORDER BY v.name",
		workspaceID, projectID, userID)
}

// SaveView adds one, or replaces the one with its name.
func (t *Tx) SaveView(workspaceID, projectID, userID string, v SavedView) error {
	if err := t.DeleteView(workspaceID, projectID, userID, v.Name); err != nil {
		return err
	}
	return t.exec(`INSERT INTO saved_views (workspace_id, user_id, project, name, query)
		SELECT p.workspace_id, ?3, p.seq, ?4, ?5 FROM projects p WHERE p.workspace_id = ?1 AND p.id = ?2`,
		workspaceID, projectID, userID, v.Name, v.Query)
}

// DeleteView deletes one if it exists.
func (t *Tx) DeleteView(workspaceID, projectID, userID, name string) error {
	return t.exec("DELETE FROM saved_views WHERE workspace_id = ?1 AND "+ofProject+" AND user_id = ?3 AND name = ?4",
		workspaceID, projectID, userID, name)
}
