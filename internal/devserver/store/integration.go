package store

// Integration is a row of integrations.
type Integration struct {
	ID             string
	WorkspaceID    string
	InstallationID int64
	Name           string
	Forge          bool // Belongs to the second app, forge.
}

const selectIntegration = "SELECT id, workspace_id, installation_id, name, forge FROM integrations "

func scanIntegration(row scanner) (Integration, error) {
	var i Integration
	err := row.Scan(&i.ID, &i.WorkspaceID, &i.InstallationID, &i.Name, &i.Forge)
	return i, err
}

// Integration reads one integration.
func (t *Tx) Integration(workspaceID, id string) (Integration, error) {
	return queryOne(t, scanIntegration, selectIntegration+"WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// IntegrationNamed reads the integration of an account.
func (t *Tx) IntegrationNamed(workspaceID, name string) (Integration, error) {
	return queryOne(t, scanIntegration, selectIntegration+"WHERE workspace_id = ? AND name = ?", workspaceID, name)
}

// Integrations lists the integrations of an app, oldest first.
func (t *Tx) Integrations(workspaceID string, forge bool) ([]Integration, error) {
	return query(t, scanIntegration, selectIntegration+"WHERE workspace_id = ? AND forge = ? ORDER BY seq", workspaceID, forge)
}

// InsertIntegration adds an integration.
func (t *Tx) InsertIntegration(i Integration) error {
	return t.exec("INSERT INTO integrations (id, workspace_id, installation_id, name, forge) VALUES (?, ?, ?, ?, ?)",
		i.ID, i.WorkspaceID, i.InstallationID, i.Name, i.Forge)
}
