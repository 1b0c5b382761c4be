package store

// Repository is a row of repositories.
type Repository struct {
	ID            int64  `db:"id"`
	IntegrationID string `db:"integration_id"`
	Owner         string `db:"owner"`
	Name          string `db:"name"`
	URL           string `db:"url"`
	DefaultBranch string `db:"default_branch"`
}

// Commit is a row of repo_commits.
type Commit struct {
	WorkspaceID string  `db:"workspace_id"`
	RepoURL     string  `db:"repo_url"`
	SHA         string  `db:"sha"`
	BuildError  *string `db:"build_error"` // What the builder says; nil if the commit can be built.
}

var (
	repositories = tableOf[Repository]("repositories")
	repoCommits  = tableOf[Commit]("repo_commits", "workspace_id", "repo_url", "sha")
)

// Repositories lists all repositories of an integration, oldest first.
func (t *Tx) Repositories(workspaceID, integrationID string) ([]Repository, error) {
	return query(t, repositories.scan, repositories.selection("r")+`
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
	return repositories.insert(t, r)
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
	return repoCommits.save(t, c, "build_error")
}

func scanText(row scanner) (string, error) {
	var s string
	err := row.Scan(&s)
	return s, err
}
