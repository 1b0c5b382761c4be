package pages

import (
	"encoding/json"
	"net/http"
	"strings"

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

// redeploy rolls a revision out again, and sends the browser to the page of the new one.
func (s *Service) redeploy(w http.ResponseWriter, r *http.Request) {
	frame, workspaceID, err := s.frame(r)
	if err == nil {
		err = s.readForm(w, r, "A rollout can't be started")
	}
	var revisionID string
	if err == nil {
		err = s.rest.Outside(r, workspaceID, s.user(r)).Do(r.Context(), func(c *rest.Call) (err error) {
			revisionID, err = s.control.Redeploy(c)
			return err
		})
	}
	if err == nil {
		err = s.rest.ShowAll(r.Context())
	}
	if err != nil {
		s.errorPage(w, r, frame, err)
		return
	}
	s.rest.Logger.InfoContext(r.Context(), "revision redeployed", "path", r.URL.Path, "workspace_id", workspaceID, "revision_id", revisionID)
	http.Redirect(w, r, frame.Paths().Rollout(r.PathValue("deployment_id"), revisionID), http.StatusSeeOther) //nolint:gosec // A path of this server.
}
