package thread

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// threadShare is an answer without a token for a conversation that isn't shared. Nothing published reads a conversation by its token.
type threadShare map[string]string

// shareThread gives a conversation a token, or returns the one that it has.
func shareThread(c *rest.Call) (rest.Answer, error) {
	id, err := sharedID(c)
	if err != nil {
		return rest.Answer{}, err
	}
	request, err := rest.DecodeTolerant[struct {
		ProjectID api.UUID `json:"project_id"`
	}](c)
	if err != nil {
		return rest.Answer{}, err
	}
	projectID := string(request.ProjectID)
	found, err := threads(c.Tx, store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{projectID}}, []store.Thread{{ID: id}})
	if err != nil {
		return rest.Answer{}, err
	}
	if len(found[0].turns) == 0 {
		return rest.Answer{}, form.Missing("Thread '%s' not found.", id)
	}
	token, err := c.Tx.ThreadShare(c.WorkspaceID, projectID, id)
	if store.Missing(&err) {
		token = uuid.NewString()
		err = c.Tx.ShareThread(c.WorkspaceID, projectID, id, token)
	}
	return rest.OK(threadShare{"share_token": token}), err
}

// getThreadShare is called by getThread.
func getThreadShare(c *rest.Call, id string) (rest.Answer, error) {
	projectID, err := sharedProject(c)
	if err != nil {
		return rest.Answer{}, err
	}
	token, err := c.Tx.ThreadShare(c.WorkspaceID, projectID, id)
	if store.Missing(&err) {
		return rest.OK(threadShare{}), err
	}
	return rest.OK(threadShare{"share_token": token}), err
}

// unshareThread succeeds whether or not the conversation was shared.
func unshareThread(c *rest.Call) (rest.Answer, error) {
	id, err := sharedID(c)
	if err != nil {
		return rest.Answer{}, err
	}
	projectID, err := sharedProject(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{Status: http.StatusNoContent}, c.Tx.UnshareThread(c.WorkspaceID, projectID, id)
}

func sharedProject(c *rest.Call) (string, error) {
	p := c.Params()
	id := p.ID("project_id")
	if id == nil {
		p.Add("project_id", "missing", "Field required")
	}
	return api.OrEmpty(id), p.Err()
}

// sharedID returns the ID of the conversation in a path that ends in /share, as in getThread.
func sharedID(c *rest.Call) (string, error) {
	id, is := strings.CutSuffix(c.Request.PathValue("thread"), "/share")
	if !is {
		return "", rest.PathNotServed()
	}
	return id, nil
}
