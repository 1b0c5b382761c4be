package api

// Integration is an installation of the git host's app in an account; source_config.integration_id is its ID.
type Integration struct {
	ID string `json:"id"`
	// InstallationID is the git host's own number of the installation.
	InstallationID int64 `json:"installation_id"`
	// Name is the account at the git host.
	Name string `json:"name"`
}
