package devserver

import (
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func (s *controlPlane) listListeners(c *call) (answer, error) {
	p := newParams(c.request)
	window := p.page()
	if err := p.err(); err != nil {
		return answer{}, err
	}
	rows, err := c.tx.Listeners(c.workspaceID, window)
	if err != nil {
		return answer{}, err
	}
	return ok(listOf(c.dialect, collect(rows, newListener), window)), nil
}

func (s *controlPlane) getListener(c *call) (answer, error) {
	row, err := s.listener(c)
	if err != nil {
		return answer{}, err
	}
	return ok(newListener(row)), nil
}

func (s *controlPlane) createListener(c *call) (answer, error) {
	request, err := decodeBody[api.ListenerCreateRequest](c)
	if err != nil {
		return answer{}, err
	}
	if err := checkListenerForm(&request.ComputeID, request.ComputeConfig); err != nil {
		return answer{}, err
	}
	if err := checkComputeIsFree(c, request.ComputeID); err != nil {
		return answer{}, err
	}
	row, err := addListener(c, store.Listener{
		Version:       request.Version.Value,
		ComputeID:     request.ComputeID,
		K8sNamespaces: namespacesOf(request.ComputeConfig),
	})
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: newListener(row)}, nil
}

// patchListener knows two fields; like every unknown one, a compute_type or compute_id is ignored.
func (s *controlPlane) patchListener(c *call) (answer, error) {
	row, err := s.listener(c)
	if err != nil {
		return answer{}, err
	}
	request, err := decodeBody[api.ListenerPatchRequest](c)
	if err != nil {
		return answer{}, err
	}
	config, replaced := request.ComputeConfig.Get()
	if err := checkListenerForm(nil, config); err != nil {
		return answer{}, err
	}
	keep(&row.Version, request.Version)
	if replaced {
		row.K8sNamespaces = namespacesOf(config)
	}
	row.UpdatedAt = c.now
	if err := c.tx.UpdateListener(row); err != nil {
		return answer{}, err
	}
	return ok(newListener(row)), nil
}

// deleteListener spares a listener with deployments, which nothing would deploy any more. One that is being deleted
// counts until it is gone: the listener is what removes it from its compute.
func (s *controlPlane) deleteListener(c *call) (answer, error) {
	row, err := s.listener(c)
	if err != nil {
		return answer{}, err
	}
	deployments, err := c.tx.DeploymentsOn(c.workspaceID, row.ID)
	if err != nil {
		return answer{}, err
	}
	if len(deployments) > 0 {
		return answer{}, conflict("Listener ID %s is used by deployments: %s. Delete them first.", row.ID,
			strings.Join(collect(deployments, func(d store.Deployment) string { return "'" + d.Name + "'" }), ", "))
	}
	if err := c.tx.DeleteListener(c.workspaceID, row.ID); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusNoContent}, nil
}

// listener reads the listener that the path names.
func (s *controlPlane) listener(c *call) (store.Listener, error) {
	p := newParams(c.request)
	id := p.pathID("listener_id")
	if err := p.err(); err != nil {
		return store.Listener{}, err
	}
	row, err := c.tx.Listener(c.workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, listenerNotFound(id)
	}
	return row, err
}

func checkComputeIsFree(c *call, computeID string) error {
	_, err := c.tx.ListenerOf(c.workspaceID, computeID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	default:
		return conflict("Listener for workspace ID '%s' and compute ID '%s' already exists.", c.workspaceID, computeID)
	}
}

// listenerRequest is the body of POST /dev/listeners, which needs less than the service's own endpoint.
type listenerRequest struct {
	ComputeID     string   `json:"compute_id"`
	K8sNamespaces []string `json:"k8s_namespaces,omitzero"`
}

func (s *controlPlane) registerListener(c *call) (answer, error) {
	request, err := decode[listenerRequest](c.body, api.Neutral)
	if err != nil {
		return answer{}, err
	}
	if err := checkComputeIsFree(c, request.ComputeID); err != nil {
		return answer{}, err
	}
	row, err := addListener(c, store.Listener{ComputeID: request.ComputeID, K8sNamespaces: request.K8sNamespaces})
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: newListener(row)}, nil
}

// EnsureListener registers a listener of a compute unless there is one.
func (s *controlPlane) EnsureListener(c *call, computeID string, namespaces []string) (store.Listener, error) {
	row, err := c.tx.ListenerOf(c.workspaceID, computeID)
	if errors.Is(err, store.ErrNotFound) {
		return addListener(c, store.Listener{ComputeID: computeID, K8sNamespaces: namespaces})
	}
	return row, err
}

// addListener fills in what the service decides about a new listener.
func addListener(c *call, row store.Listener) (store.Listener, error) {
	row.ID, row.WorkspaceID, row.ComputeType = uuid.NewString(), c.workspaceID, string(api.ComputeTypeK8s)
	row.CreatedAt, row.UpdatedAt = c.now, c.now
	return row, c.tx.InsertListener(row)
}

func namespacesOf(config api.ListenerComputeConfigRequest) []string {
	namespaces, _ := config.K8sNamespaces.Get()
	return namespaces
}

func newListener(row store.Listener) api.Listener {
	return api.Listener{
		ID:            row.ID,
		CreatedAt:     dateTime(row.CreatedAt),
		UpdatedAt:     dateTime(row.UpdatedAt),
		Version:       row.Version,
		ComputeType:   api.ComputeType(row.ComputeType),
		ComputeID:     row.ComputeID,
		ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: row.K8sNamespaces},
	}
}

func listenerNotFound(id string) *problem {
	return detail(http.StatusNotFound, "Listener ID %s not found.", id)
}
