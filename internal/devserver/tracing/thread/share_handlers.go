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

// threadShare is an answer without a token for a conversation that isn't shared. No published client reads a conversation by its token: a page does.
type threadShare map[string]string

// shareRequest names the project of a conversation.
type shareRequest struct {
	ProjectID api.UUID `json:"project_id"`
}

// shareThread gives a conversation a token, or returns the one that it has.
func shareThread(c *rest.Call, request shareRequest) (rest.Answer, error) {
	id, err := sharedID(c)
	if err != nil {
		return rest.Answer{}, err
	}
	token, err := Share(c.Tx, c.WorkspaceID, string(request.ProjectID), id)
	return rest.OK(threadShare{"share_token": token}), err
}

// Share returns the token of a conversation, which is new unless the conversation is shared.
func Share(tx *store.Tx, workspaceID, projectID, id string) (token string, err error) {
	found, err := threads(tx, store.RunFilter{WorkspaceID: workspaceID, ProjectIDs: []string{projectID}}, []store.Thread{{ID: id}})
	if err != nil {
		return "", err
	}
	if len(found[0].turns) == 0 {
		return "", form.Missing("Thread '%s' not found.", id)
	}
	token, err = tx.ThreadShare(workspaceID, projectID, id)
	if store.Missing(&err) {
		token = uuid.NewString()
		err = tx.ShareThread(workspaceID, projectID, id, token)
	}
	return token, err
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
