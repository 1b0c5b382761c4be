package controlplane

import (
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	. "github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func (s *ControlPlane) listListeners(c *Call) (Answer, error) {
	p := NewParams(c.Request)
	window := p.Page()
	if err := p.Err(); err != nil {
		return Answer{}, err
	}
	rows, err := c.Tx.Listeners(c.WorkspaceID, window)
	if err != nil {
		return Answer{}, err
	}
	return OK(ListOf(c.Dialect, Collect(rows, newListener), window)), nil
}

func (s *ControlPlane) getListener(c *Call) (Answer, error) {
	row, err := s.listener(c)
	if err != nil {
		return Answer{}, err
	}
	return OK(newListener(row)), nil
}

func (s *ControlPlane) createListener(c *Call) (Answer, error) {
	request, err := DecodeBody[api.ListenerCreateRequest](c)
	if err != nil {
		return Answer{}, err
	}
	if err := checkListenerForm(&request.ComputeID, request.ComputeConfig); err != nil {
		return Answer{}, err
	}
	if err := checkComputeIsFree(c, request.ComputeID); err != nil {
		return Answer{}, err
	}
	row, err := addListener(c, store.Listener{
		Version:       request.Version.Value,
		ComputeID:     request.ComputeID,
		K8sNamespaces: namespacesOf(request.ComputeConfig),
	})
	if err != nil {
		return Answer{}, err
	}
	return Answer{Status: http.StatusCreated, Body: newListener(row)}, nil
}

// patchListener knows two fields; like every unknown one, a compute_type or compute_id is ignored.
func (s *ControlPlane) patchListener(c *Call) (Answer, error) {
	row, err := s.listener(c)
	if err != nil {
		return Answer{}, err
	}
	request, err := DecodeBody[api.ListenerPatchRequest](c)
	if err != nil {
		return Answer{}, err
	}
	config, replaced := request.ComputeConfig.Get()
	if err := checkListenerForm(nil, config); err != nil {
		return Answer{}, err
	}
	Keep(&row.Version, request.Version)
	if replaced {
		row.K8sNamespaces = namespacesOf(config)
	}
	row.UpdatedAt = c.Now
	if err := c.Tx.UpdateListener(row); err != nil {
		return Answer{}, err
	}
	return OK(newListener(row)), nil
}

// deleteListener spares a listener with deployments, which nothing would deploy any more. One that is being deleted
// counts until it is gone: the listener is what removes it from its compute.
func (s *ControlPlane) deleteListener(c *Call) (Answer, error) {
	row, err := s.listener(c)
	if err != nil {
		return Answer{}, err
	}
	deployments, err := c.Tx.DeploymentsOn(c.WorkspaceID, row.ID)
	if err != nil {
		return Answer{}, err
	}
	if len(deployments) > 0 {
		return Answer{}, Conflict("Listener ID %s is used by deployments: %s. Delete them first.", row.ID,
			strings.Join(Collect(deployments, func(d store.Deployment) string { return "'" + d.Name + "'" }), ", "))
	}
	if err := c.Tx.DeleteListener(c.WorkspaceID, row.ID); err != nil {
		return Answer{}, err
	}
	return Answer{Status: http.StatusNoContent}, nil
}

// listener reads the listener that the path names.
func (s *ControlPlane) listener(c *Call) (store.Listener, error) {
	p := NewParams(c.Request)
	id := p.PathID("listener_id")
	if err := p.Err(); err != nil {
		return store.Listener{}, err
	}
	row, err := c.Tx.Listener(c.WorkspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, listenerNotFound(id)
	}
	return row, err
}

func checkComputeIsFree(c *Call, computeID string) error {
	_, err := c.Tx.ListenerOf(c.WorkspaceID, computeID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	default:
		return Conflict("Listener for workspace ID '%s' and compute ID '%s' already exists.", c.WorkspaceID, computeID)
	}
}

// listenerRequest is the body of POST /dev/listeners, which needs less than the service's own endpoint.
type listenerRequest struct {
	ComputeID     string   `json:"compute_id"`
	K8sNamespaces []string `json:"k8s_namespaces,omitzero"`
}

func (s *ControlPlane) registerListener(c *Call) (Answer, error) {
	request, err := Decode[listenerRequest](c.Body, api.Neutral)
	if err != nil {
		return Answer{}, err
	}
	if err := checkComputeIsFree(c, request.ComputeID); err != nil {
		return Answer{}, err
	}
	row, err := addListener(c, store.Listener{ComputeID: request.ComputeID, K8sNamespaces: request.K8sNamespaces})
	if err != nil {
		return Answer{}, err
	}
	return Answer{Status: http.StatusCreated, Body: newListener(row)}, nil
}

// EnsureListener registers a listener of a compute unless there is one.
func (s *ControlPlane) EnsureListener(c *Call, computeID string, namespaces []string) (store.Listener, error) {
	row, err := c.Tx.ListenerOf(c.WorkspaceID, computeID)
	if errors.Is(err, store.ErrNotFound) {
		return addListener(c, store.Listener{ComputeID: computeID, K8sNamespaces: namespaces})
	}
	return row, err
}

// addListener fills in what the service decides about a new listener.
func addListener(c *Call, row store.Listener) (store.Listener, error) {
	row.ID, row.WorkspaceID, row.ComputeType = uuid.NewString(), c.WorkspaceID, string(api.ComputeTypeK8s)
	row.CreatedAt, row.UpdatedAt = c.Now, c.Now
	return row, c.Tx.InsertListener(row)
}

func namespacesOf(config api.ListenerComputeConfigRequest) []string {
	namespaces, _ := config.K8sNamespaces.Get()
	return namespaces
}

func newListener(row store.Listener) api.Listener {
	return api.Listener{
		ID:            row.ID,
		CreatedAt:     DateTime(row.CreatedAt),
		UpdatedAt:     DateTime(row.UpdatedAt),
		Version:       row.Version,
		ComputeType:   api.ComputeType(row.ComputeType),
		ComputeID:     row.ComputeID,
		ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: row.K8sNamespaces},
	}
}

func listenerNotFound(id string) *Error {
	return NewError(http.StatusNotFound, "Listener ID %s not found.", id)
}
