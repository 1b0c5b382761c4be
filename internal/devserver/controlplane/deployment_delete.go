package controlplane

import (
	"errors"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// deleteDeployment starts a deletion. With force, it completes a started deletion without waiting for the removal of what
// is deployed; the name then stays reserved.
func (s *Service) deleteDeployment(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	withProject := p.Flag("delete_tracing_project")
	force := c.Dialect.LangSmithAPI && p.Flag("force")
	row, err := deployment(c, p)
	switch {
	case err != nil:
		return rest.Answer{}, err
	case force && going(row):
		if err := c.Tx.ReserveName(c.WorkspaceID, row.Name); err != nil {
			return rest.Answer{}, err
		}
		return rest.NoContent(), c.Tx.DeleteDeployment(c.WorkspaceID, row.ID)
	case force:
		return rest.Answer{}, form.Broken("Deployment ID %s is active: delete it without 'force' first.", row.ID)
	case going(row):
		return rest.Answer{}, form.Missing(noDeployment, row.ID)
	}
	return rest.NoContent(), s.beginDeletion(c, row, withProject && row.AgentID == nil) // That of an agent stays.
}

// going reports whether a deployment is being deleted.
func going(row store.Deployment) bool {
	return api.DeploymentStatus(row.Status).BeingDeleted()
}

// beginDeletion starts the deletion; Advance completes it later.
func (s *Service) beginDeletion(c *rest.Call, row store.Deployment, withProject bool) error {
	gone := c.Now.Add(deletionTime(s.cfg.Rollout))
	row.Status, row.DueAt, row.UpdatedAt = string(api.DeploymentAwaitingDelete), &gone, c.Now
	if err := c.Tx.UpdateDeployment(row); err != nil || !withProject {
		return err
	}
	project, err := c.Tx.ProjectNamed(c.WorkspaceID, row.Name)
	if store.Missing(&err) || err != nil {
		return err
	}
	return c.Tx.DeleteProject(c.WorkspaceID, project.ID)
}

// deletedDeployments is the response of a bulk deletion, whose form is not published.
type deletedDeployments struct {
	Deleted  []string `json:"deleted"`
	NotFound []string `json:"not_found"`
}

// deleteDeployments starts the deletion of several deployments. The status says whether all of them were found.
func (s *Service) deleteDeployments(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	ids := p.RepeatedIDs("deployment_ids", limits.Deletions)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	outcome := deletedDeployments{Deleted: []string{}, NotFound: []string{}}
	for _, id := range ids {
		row, err := c.Tx.Deployment(c.WorkspaceID, id)
		switch {
		case errors.Is(err, store.ErrNotFound) || err == nil && going(row):
			outcome.NotFound = append(outcome.NotFound, id)
			continue
		case err != nil:
			return rest.Answer{}, err
		}
		if err := s.beginDeletion(c, row, false); err != nil {
			return rest.Answer{}, err
		}
		outcome.Deleted = append(outcome.Deleted, id)
	}
	switch {
	case len(outcome.Deleted) == 0:
		return rest.Answer{}, form.Missing(noDeployment, ids[0])
	case len(outcome.NotFound) == 0:
		return rest.OK(outcome), nil
	default:
		return rest.Answer{Status: http.StatusMultiStatus, Body: outcome}, nil
	}
}
