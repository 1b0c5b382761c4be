package api

// Integration is an installation of the git host's app in an account; source_config.integration_id is its ID.
type Integration struct {
	ID string `json:"id" format:"uuid"`
	// InstallationID is the git host's number of the installation.
	InstallationID int64 `json:"installation_id"`
	// Name is the account at the git host.
	Name string `json:"name"`
}

// Repository is a repository that an Integration can access.
type Repository struct {
	// HostIntegrationID is the ID of the Integration.
	HostIntegrationID string `json:"host_integration_id" format:"uuid"`
	// ID is the git host's number of the repository.
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Owner string `json:"owner"`
	// URL is a value for source_config.repo_url.
	URL string `json:"url"`
	// DefaultBranch is a value for source_revision_config.repo_ref.
	DefaultBranch string `json:"default_branch"`
}
