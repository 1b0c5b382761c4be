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

// InsertRepository adds a repository to an integration.
func (t *Tx) InsertRepository(r Repository) error {
	return t.exec("INSERT INTO repositories (id, integration_id, owner, name, url, default_branch) VALUES (?, ?, ?, ?, ?, ?)",
		r.ID, r.IntegrationID, r.Owner, r.Name, r.URL, r.DefaultBranch)
}
