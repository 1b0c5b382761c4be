package store

// Integration is a row of integrations.
type Integration struct {
	ID             string
	WorkspaceID    string
	InstallationID int64
	Name           string
}

// Integrations are what a transaction does with integrations.
type Integrations interface {
	// Integration reads one integration.
	Integration(workspaceID, id string) (Integration, error)
	// IntegrationNamed reads the integration of an account.
	IntegrationNamed(workspaceID, name string) (Integration, error)
	// Integrations lists all integrations of a workspace, oldest first.
	Integrations(workspaceID string) ([]Integration, error)
	// InsertIntegration adds an integration.
	InsertIntegration(i Integration) error
}

const selectIntegration = "SELECT id, workspace_id, installation_id, name FROM integrations "

func scanIntegration(row scanner) (Integration, error) {
	var i Integration
	err := row.Scan(&i.ID, &i.WorkspaceID, &i.InstallationID, &i.Name)
	return i, err
}

func (t *sqliteTx) Integration(workspaceID, id string) (Integration, error) {
	return queryOne(t, scanIntegration, selectIntegration+"WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

func (t *sqliteTx) IntegrationNamed(workspaceID, name string) (Integration, error) {
	return queryOne(t, scanIntegration, selectIntegration+"WHERE workspace_id = ? AND name = ?", workspaceID, name)
}

func (t *sqliteTx) Integrations(workspaceID string) ([]Integration, error) {
	return query(t, scanIntegration, selectIntegration+"WHERE workspace_id = ? ORDER BY seq", workspaceID)
}

func (t *sqliteTx) InsertIntegration(i Integration) error {
	return t.exec("INSERT INTO integrations (id, workspace_id, installation_id, name) VALUES (?, ?, ?, ?)",
		i.ID, i.WorkspaceID, i.InstallationID, i.Name)
}
