package controlplane

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// redeployRevision makes a revision of what an earlier one was made of: the same commit, wherever its branch points by
// now. Environment and resources belong to the deployment and stay as they are.
func (s *Service) redeployRevision(c *rest.Call) (rest.Answer, error) {
	source, err := s.revision(c, rest.NewParams(c.Request))
	if err != nil {
		return rest.Answer{}, err
	}
	d, err := c.Tx.Deployment(c.WorkspaceID, source.DeploymentID)
	if err != nil {
		return rest.Answer{}, err
	}
	if going(d) {
		return rest.Answer{}, rest.BadRequest("Deployment ID %s is being deleted and can't be changed.", d.ID)
	}
	if err := s.insertBuiltRevision(c, d, newSourceRevisionConfig(source)); err != nil {
		return rest.Answer{}, err
	}
	d.UpdatedAt = c.Now
	if err := c.Tx.UpdateDeployment(d); err != nil {
		return rest.Answer{}, err
	}
	if d, err = c.Tx.Deployment(c.WorkspaceID, d.ID); err != nil {
		return rest.Answer{}, err
	}
	return s.respond(c, http.StatusOK, d)
}
