package store

// Integration is a row of integrations.
type Integration struct {
	ID             string `db:"id"`
	WorkspaceID    string `db:"workspace_id"`
	InstallationID int64  `db:"installation_id"`
	Name           string `db:"name"`
	Forge          bool   `db:"forge"` // Belongs to the second app, forge.
}

var integrations = tableOf[Integration]("integrations")

// Integration reads one integration.
func (t *Tx) Integration(workspaceID, id string) (Integration, error) {
	return integrations.one(t, "WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// IntegrationNamed reads the integration of an account.
func (t *Tx) IntegrationNamed(workspaceID, name string) (Integration, error) {
	return integrations.one(t, "WHERE workspace_id = ? AND name = ?", workspaceID, name)
}

// Integrations lists the integrations of an app, oldest first.
func (t *Tx) Integrations(workspaceID string, forge bool) ([]Integration, error) {
	return integrations.find(t, "WHERE workspace_id = ? AND forge = ? ORDER BY seq", workspaceID, forge)
}

// InsertIntegration adds an integration.
func (t *Tx) InsertIntegration(i Integration) error {
	return integrations.insert(t, i)
}
