package store

// RepoHead reads the commit that a ref of a repository points to.
func (t *Tx) RepoHead(workspaceID, repoURL, ref string) (string, error) {
	return queryOne(t, scanText, "SELECT sha FROM repo_heads WHERE workspace_id = ? AND repo_url = ? AND ref = ?",
		workspaceID, repoURL, ref)
}

// SetRepoHead makes a ref point to a commit.
func (t *Tx) SetRepoHead(workspaceID, repoURL, ref, sha string) error {
	return t.exec(`
		INSERT INTO repo_heads (workspace_id, repo_url, ref, sha) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace_id, repo_url, ref) DO UPDATE SET sha = excluded.sha`,
		workspaceID, repoURL, ref, sha)
}

func scanText(row scanner) (string, error) {
	var s string
	err := row.Scan(&s)
	return s, err
}
