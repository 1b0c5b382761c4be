package store

// Integration is a row of integrations.
type Integration struct {
	ID             string
	WorkspaceID    string
	InstallationID int64
	Name           string
	Forge          bool // Belongs to the second app, forge.
}

// Integrations are the operations on integrations.
type Integrations interface {
	// Integration reads one integration.
	Integration(workspaceID, id string) (Integration, error)
	// IntegrationNamed reads the integration of an account.
	IntegrationNamed(workspaceID, name string) (Integration, error)
	// Integrations lists the integrations of an app, oldest first.
	Integrations(workspaceID string, forge bool) ([]Integration, error)
	// InsertIntegration adds an integration.
	InsertIntegration(i Integration) error
}

const selectIntegration = "SELECT id, workspace_id, installation_id, name, forge FROM integrations "

func scanIntegration(row scanner) (Integration, error) {
	var i Integration
	err := row.Scan(&i.ID, &i.WorkspaceID, &i.InstallationID, &i.Name, &i.Forge)
	return i, err
}

func (t *sqliteTx) Integration(workspaceID, id string) (Integration, error) {
	return queryOne(t, scanIntegration, selectIntegration+"WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

func (t *sqliteTx) IntegrationNamed(workspaceID, name string) (Integration, error) {
	return queryOne(t, scanIntegration, selectIntegration+"WHERE workspace_id = ? AND name = ?", workspaceID, name)
}

func (t *sqliteTx) Integrations(workspaceID string, forge bool) ([]Integration, error) {
	return query(t, scanIntegration, selectIntegration+"WHERE workspace_id = ? AND forge = ? ORDER BY seq", workspaceID, forge)
}

func (t *sqliteTx) InsertIntegration(i Integration) error {
	return t.exec("INSERT INTO integrations (id, workspace_id, installation_id, name, forge) VALUES (?, ?, ?, ?, ?)",
		i.ID, i.WorkspaceID, i.InstallationID, i.Name, i.Forge)
}
