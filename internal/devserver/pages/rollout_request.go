package pages

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// makes reports whether a request made a revision: its answer names it as the newest one or, if the deployment wasn't ready for its first
// revision, the deployment.
func makes(r rest.Request, deploymentID, revisionID string, first bool) bool {
	if r.Method == http.MethodGet || r.Answer == nil {
		return false
	}
	var answer struct {
		ID               string  `json:"id"`
		LatestRevisionID *string `json:"latest_revision_id"`
	}
	if json.Unmarshal(r.Answer, &answer) != nil {
		return false
	}
	switch {
	case answer.LatestRevisionID != nil && *answer.LatestRevisionID == revisionID:
		// A change that makes no revision names the newest one, too.
		return r.Method == http.MethodPost || strings.Contains(string(r.Body), "source_") || strings.Contains(string(r.Body), "secret")
	case answer.ID == revisionID:
		return true
	default:
		return first && answer.LatestRevisionID == nil && answer.ID == deploymentID && r.Method == http.MethodPost
	}
}

// redeploy rolls a revision out again, and leads to the page of the new one.
func (s *Service) redeploy(c *rest.Call, frame web.Frame) (back string, err error) {
	revisionID, err := s.control.Redeploy(c)
	return frame.Paths().Rollout(c.Request.PathValue("deployment_id"), revisionID), err
}
