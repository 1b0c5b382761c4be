package controlplane

import (
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// gitHost is the host of the made-up repositories; the name is reserved for examples.
const gitHost = "https://git.example.com/"

// listRepositories returns a bare array without paging, as the service does.
func (s *Service) listRepositories(c *rest.Call) (rest.Answer, error) {
	return repositoriesOf(c, false)
}

// listForgeRepositories is listRepositories for the second app of the git host.
func (s *Service) listForgeRepositories(c *rest.Call) (rest.Answer, error) {
	return repositoriesOf(c, true)
}

func repositoriesOf(c *rest.Call, forge bool) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	id := p.PathID("integration_id")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	integration, err := c.Tx.Integration(c.WorkspaceID, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && integration.Forge != forge {
		return rest.Answer{}, integrationNotFound(id)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.Repositories(c.WorkspaceID, id)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(rest.Collect(rows, newRepository)), nil
}

// repositoryRequest is a repository in POST /dev/integrations. Its other fields are derived from the integration.
type repositoryRequest struct {
	Name          string               `json:"name"`
	DefaultBranch api.Optional[string] `json:"default_branch,omitzero"` // Default: main.
}

func (r repositoryRequest) name() string { return r.Name }

// addRepositories gives an integration repositories of the account in which it is installed.
func addRepositories(c *rest.Call, integration store.Integration, repositories []repositoryRequest) error {
	for _, r := range repositories {
		branch := "main"
		rest.Set(&branch, r.DefaultBranch)
		err := c.Tx.InsertRepository(store.Repository{
			ID:            gitHostNumber(),
			IntegrationID: integration.ID,
			Owner:         integration.Name,
			Name:          r.Name,
			URL:           gitHost + integration.Name + "/" + r.Name,
			DefaultBranch: branch,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func newRepository(row store.Repository) api.Repository {
	return api.Repository{
		HostIntegrationID: row.IntegrationID,
		ID:                row.ID,
		Name:              row.Name,
		Owner:             row.Owner,
		URL:               row.URL,
		DefaultBranch:     row.DefaultBranch,
	}
}
