package devserver

import (
	"net/http"
)

// redeployRevision makes a revision of what an earlier one was made of: the same commit, wherever its branch points by
// now. Environment and resources belong to the deployment and stay as they are.
func (s *controlPlane) redeployRevision(c *call) (answer, error) {
	source, err := s.revision(c, newParams(c.request))
	if err != nil {
		return answer{}, err
	}
	d, err := c.tx.Deployment(c.workspaceID, source.DeploymentID)
	if err != nil {
		return answer{}, err
	}
	if going(d) {
		return answer{}, badRequest("Deployment ID %s is being deleted and can't be changed.", d.ID)
	}
	if err := s.insertBuiltRevision(c, d, newSourceRevisionConfig(source)); err != nil {
		return answer{}, err
	}
	d.UpdatedAt = c.now
	if err := c.tx.UpdateDeployment(d); err != nil {
		return answer{}, err
	}
	if d, err = c.tx.Deployment(c.workspaceID, d.ID); err != nil {
		return answer{}, err
	}
	return s.show(c, http.StatusOK, d)
}
