package store

// Repository is a row of repositories.
type Repository struct {
	ID            int64
	IntegrationID string
	Owner         string
	Name          string
	URL           string
	DefaultBranch string
}

// Commit is a row of repo_commits.
type Commit struct {
	WorkspaceID string
	RepoURL     string
	SHA         string
	BuildError  *string // What the builder says; nil if the commit can be built.
}

func scanRepository(row scanner) (Repository, error) {
	var r Repository
	err := row.Scan(&r.ID, &r.IntegrationID, &r.Owner, &r.Name, &r.URL, &r.DefaultBranch)
	return r, err
}

// Repositories lists all repositories of an integration, oldest first.
func (t *Tx) Repositories(workspaceID, integrationID string) ([]Repository, error) {
	return query(t, scanRepository, `
		SELECT r.id, r.integration_id, r.owner, r.name, r.url, r.default_branch
		FROM repositories r
		JOIN integrations i ON i.id = r.integration_id
		WHERE i.workspace_id = ? AND i.id = ? ORDER BY r.seq`, workspaceID, integrationID)
}

// HasRepository reports whether an integration has a repository; an empty ID stands for any integration of the workspace.
func (t *Tx) HasRepository(workspaceID, integrationID, url string) (bool, error) {
	found, err := query(t, scanText, `
		SELECT r.url FROM repositories r
		JOIN integrations i ON i.id = r.integration_id
		WHERE i.workspace_id = ? AND r.url = ? AND (? = '' OR i.id = ?) LIMIT 1`, workspaceID, url, integrationID, integrationID)
	return len(found) > 0, err
}

// InsertRepository adds a repository to an integration.
func (t *Tx) InsertRepository(r Repository) error {
	return t.exec("INSERT INTO repositories (id, integration_id, owner, name, url, default_branch) VALUES (?, ?, ?, ?, ?, ?)",
		r.ID, r.IntegrationID, r.Owner, r.Name, r.URL, r.DefaultBranch)
}

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

// BuildError reads why a commit can't be built; nil if it can.
func (t *Tx) BuildError(workspaceID, repoURL, sha string) (*string, error) {
	reasons, err := query(t, scanText, `
		SELECT build_error FROM repo_commits
		WHERE workspace_id = ? AND repo_url = ? AND sha = ? AND build_error IS NOT NULL`, workspaceID, repoURL, sha)
	if err != nil || len(reasons) == 0 {
		return nil, err
	}
	return &reasons[0], nil
}

// SetCommit adds a commit, or replaces what is known of it.
func (t *Tx) SetCommit(c Commit) error {
	return t.exec(`
		INSERT INTO repo_commits (workspace_id, repo_url, sha, build_error) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace_id, repo_url, sha) DO UPDATE SET build_error = excluded.build_error`,
		c.WorkspaceID, c.RepoURL, c.SHA, c.BuildError)
}

func scanText(row scanner) (string, error) {
	var s string
	err := row.Scan(&s)
	return s, err
}
