package devserver

import (
	"errors"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// deleteDeployment begins a deletion. With force it ends one that was begun, without waiting for what is deployed.
func (s *controlPlane) deleteDeployment(c *call) (answer, error) {
	p := newParams(c.request)
	withProject := p.flag("delete_tracing_project")
	force := c.dialect.Extended && p.flag("force")
	row, err := s.deployment(c, p)
	switch {
	case err != nil:
		return answer{}, err
	case force && going(row):
		return answer{status: http.StatusNoContent}, c.tx.DeleteDeployment(c.workspaceID, row.ID)
	case force:
		return answer{}, badRequest("Deployment ID %s is active: delete it without 'force' first.", row.ID)
	case going(row):
		return answer{}, deploymentNotFound(row.ID)
	}
	return answer{status: http.StatusNoContent}, s.beginDeletion(c, row, withProject)
}

// going says that a deployment is being deleted.
func going(row store.Deployment) bool {
	return api.DeploymentStatus(row.Status).BeingDeleted()
}

// beginDeletion leaves the rest to time: the deployment is there until it is gone.
func (s *controlPlane) beginDeletion(c *call, row store.Deployment, withProject bool) error {
	gone := c.now.Add(deletionTime(s.cfg.Rollout))
	row.Status, row.DueAt, row.UpdatedAt = string(api.DeploymentAwaitingDelete), &gone, c.now
	if err := c.tx.UpdateDeployment(row); err != nil || !withProject {
		return err
	}
	id, err := s.cfg.Projects.ProjectID(c.tx, c.workspaceID, row.Name)
	if err != nil || id == "" {
		return err
	}
	return s.cfg.Projects.DeleteProject(c.tx, c.workspaceID, id)
}

// maxDeletions is how many deployments one request can delete.
const maxDeletions = 100

// deletedDeployments is the answer of a deletion of several, whose form is not published.
type deletedDeployments struct {
	Deleted  []string `json:"deleted"`
	NotFound []string `json:"not_found"`
}

// deleteDeployments begins the deletion of several deployments. Its status says whether all of them were there.
func (s *controlPlane) deleteDeployments(c *call) (answer, error) {
	p := newParams(c.request)
	ids := p.repeatedIDs("deployment_ids", maxDeletions)
	if err := p.err(); err != nil {
		return answer{}, err
	}
	outcome := deletedDeployments{Deleted: []string{}, NotFound: []string{}}
	for _, id := range ids {
		row, err := c.tx.Deployment(c.workspaceID, id)
		switch {
		case errors.Is(err, store.ErrNotFound) || err == nil && going(row):
			outcome.NotFound = append(outcome.NotFound, id)
			continue
		case err != nil:
			return answer{}, err
		}
		if err := s.beginDeletion(c, row, false); err != nil {
			return answer{}, err
		}
		outcome.Deleted = append(outcome.Deleted, id)
	}
	switch {
	case len(outcome.Deleted) == 0:
		return answer{}, deploymentNotFound(ids[0])
	case len(outcome.NotFound) == 0:
		return ok(outcome), nil
	default:
		return answer{status: http.StatusMultiStatus, body: outcome}, nil
	}
}
