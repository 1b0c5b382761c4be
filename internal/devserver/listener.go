package devserver

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func listListeners(c *call) (answer, error) {
	p := newParams(c.request)
	window := p.page()
	if err := p.err(); err != nil {
		return answer{}, err
	}
	rows, err := c.tx.Listeners(c.workspaceID, window)
	if err != nil {
		return answer{}, err
	}
	return ok(listOf(collect(rows, newListener), window)), nil
}

func getListener(c *call) (answer, error) {
	p := newParams(c.request)
	id := p.pathID("listener_id")
	if err := p.err(); err != nil {
		return answer{}, err
	}
	row, err := c.tx.Listener(c.workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return answer{}, listenerNotFound(id)
	}
	if err != nil {
		return answer{}, err
	}
	return ok(newListener(row)), nil
}

// listenerRequest is the body of POST /dev/listeners, in the words of the listener itself.
type listenerRequest struct {
	ComputeID     string   `json:"compute_id"`
	K8sNamespaces []string `json:"k8s_namespaces,omitzero"`
}

func createListener(c *call) (answer, error) {
	request, err := decode[listenerRequest](c.body)
	if err != nil {
		return answer{}, err
	}
	_, err = c.tx.ListenerOf(c.workspaceID, request.ComputeID)
	switch {
	case err == nil:
		return answer{}, conflict("Listener for workspace ID '%s' and compute ID '%s' already exists.",
			c.workspaceID, request.ComputeID)
	case !errors.Is(err, store.ErrNotFound):
		return answer{}, err
	}
	row, err := addListener(c, request)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: newListener(row)}, nil
}

func addListener(c *call, request listenerRequest) (store.Listener, error) {
	row := store.Listener{
		ID:            uuid.NewString(),
		WorkspaceID:   c.workspaceID,
		ComputeType:   string(api.ComputeTypeK8s),
		ComputeID:     request.ComputeID,
		K8sNamespaces: request.K8sNamespaces,
		CreatedAt:     c.now,
		UpdatedAt:     c.now,
	}
	return row, c.tx.InsertListener(row)
}

func newListener(row store.Listener) api.Listener {
	return api.Listener{
		ID:            row.ID,
		CreatedAt:     dateTime(row.CreatedAt),
		UpdatedAt:     dateTime(row.UpdatedAt),
		ComputeType:   api.ComputeType(row.ComputeType),
		ComputeID:     row.ComputeID,
		ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: row.K8sNamespaces},
	}
}
