package controlplane

import (
	"cmp"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func listListeners(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	window := p.Page()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.Listeners(c.WorkspaceID, window)
	return rest.OK(rest.ListOf(c.Dialect, form.Collect(rows, NewListener), window)), err
}

func getListener(_ *rest.Call, row store.Listener) (rest.Answer, error) {
	return rest.OK(NewListener(row)), nil
}

func createListener(c *rest.Call, request api.ListenerCreateRequest) (rest.Answer, error) {
	if err := validateListener(&request.ComputeID, request.ComputeConfig); err != nil {
		return rest.Answer{}, err
	}
	if err := checkComputeIsFree(c, request.ComputeID); err != nil {
		return rest.Answer{}, err
	}
	row, err := addListener(c, store.Listener{
		Version:       request.Version.Value,
		ComputeID:     request.ComputeID,
		K8sNamespaces: namespacesOf(request.ComputeConfig),
	})
	return rest.Created(NewListener(row)), err
}

// patchListener reads only two fields; like all unknown fields, compute_type and compute_id are ignored.
func patchListener(c *rest.Call, row store.Listener, request api.ListenerPatchRequest) (rest.Answer, error) {
	config, replaced := request.ComputeConfig.Get()
	if err := validateListener(nil, config); err != nil {
		return rest.Answer{}, err
	}
	api.Keep(&row.Version, request.Version)
	if replaced {
		row.K8sNamespaces = namespacesOf(config)
	}
	if err := checkComputeType(c, row); err != nil {
		return rest.Answer{}, err
	}
	row.UpdatedAt = c.Now
	return rest.OK(NewListener(row)), c.Tx.UpdateListener(row)
}

// deleteListener refuses to delete a listener with deployments, because nothing else could deploy them. Deployments that
// are being deleted count until they are gone: the listener removes them from its compute.
func deleteListener(c *rest.Call, row store.Listener) (rest.Answer, error) {
	deployments, err := c.Tx.DeploymentsOn(c.WorkspaceID, row.ID)
	if err != nil {
		return rest.Answer{}, err
	}
	if len(deployments) > 0 {
		return rest.Answer{}, form.Conflicting("Listener ID %s is used by deployments: %s. Delete them first.", row.ID,
			strings.Join(form.Collect(deployments, func(d store.Deployment) string { return "'" + d.Name + "'" }), ", "))
	}
	return rest.NoContent(), c.Tx.DeleteListener(c.WorkspaceID, row.ID)
}

// listener reads the listener named by the path.
func listener(c *rest.Call) (store.Listener, error) {
	return rest.Named(c, "listener_id", func(tx *store.Tx, workspaceID, id string) (store.Listener, error) {
		row, err := tx.Listener(workspaceID, id)
		return row, rest.OrMissing(err, "Listener ID %s not found.", id)
	})
}

func checkComputeIsFree(c *rest.Call, computeID string) error {
	_, err := c.Tx.ListenerOf(c.WorkspaceID, computeID)
	return rest.OrTaken(err, "Listener for workspace ID '%s' and compute ID '%s' already exists.", c.WorkspaceID, computeID)
}

// validateListener skips the compute ID in a patch, which has none.
func validateListener(computeID *string, config api.ListenerComputeConfigRequest) error {
	var v form.Validator
	if computeID != nil {
		v.NotEmpty(*computeID, form.Body("compute_id"))
	}
	for i, namespace := range namespacesOf(config) {
		v.Pattern(namespace, dnsLabel, form.Body("compute_config", "k8s_namespaces", i))
	}
	return v.Err()
}

// checkComputeType refuses namespaces of Kubernetes for a listener of another compute type, which only the specification has.
func checkComputeType(c *rest.Call, row store.Listener) error {
	if c.Dialect.LangSmithAPI && row.ComputeType != string(api.ComputeTypeK8s) {
		return form.Broken("'compute_type' is '%s': '%s' is the only one.", row.ComputeType, api.ComputeTypeK8s)
	}
	if row.ComputeType == string(api.ComputeTypeK8s) || row.K8sNamespaces == nil {
		return nil
	}
	return form.Broken("'compute_config.k8s_namespaces' applies to compute type '%s' only, not to '%s'.", api.ComputeTypeK8s, row.ComputeType)
}

// listenerRequest is a fixture and the body of POST /dev/listeners, which requires less than the service's own endpoint and accepts any compute
// type that the dialect has.
type listenerRequest struct {
	ID            api.Optional[api.UUID]                         `json:"id,omitzero"`
	Version       api.Optional[string]                           `json:"version,omitzero"`
	ComputeType   api.Optional[string]                           `json:"compute_type,omitzero"` // Default: k8s.
	ComputeID     string                                         `json:"compute_id"`
	ComputeConfig api.Optional[api.ListenerComputeConfigRequest] `json:"compute_config,omitzero"`
	K8sNamespaces []string                                       `json:"k8s_namespaces,omitzero"` // Instead of compute_config.
}

func (r listenerRequest) row() (store.Listener, error) {
	config, configured := r.ComputeConfig.Get()
	if !configured && r.K8sNamespaces != nil {
		config.K8sNamespaces = api.Some(r.K8sNamespaces)
	}
	row := store.Listener{Version: r.Version.Value, ComputeID: r.ComputeID, K8sNamespaces: namespacesOf(config)}
	api.Set(&row.ID, asText(r.ID))
	api.Set(&row.ComputeType, r.ComputeType)
	return row, validateListener(&row.ComputeID, config)
}

func registerListener(c *rest.Call, request listenerRequest) (rest.Answer, error) {
	request.ID = api.Optional[api.UUID]{} // Only fixtures choose it.
	row, err := request.row()
	if err != nil {
		return rest.Answer{}, err
	}
	if err := checkComputeIsFree(c, request.ComputeID); err != nil {
		return rest.Answer{}, err
	}
	row, err = addListener(c, row)
	return rest.Created(NewListener(row)), err
}

// EnsureListener registers a listener for a compute unless there is one.
func EnsureListener(c *rest.Call, wanted store.Listener) (store.Listener, error) {
	row, err := c.Tx.ListenerOf(c.WorkspaceID, wanted.ComputeID)
	if errors.Is(err, store.ErrNotFound) {
		return addListener(c, wanted)
	}
	return row, err
}

// addListener sets what the service chooses for a new listener, unless it is given.
func addListener(c *rest.Call, row store.Listener) (store.Listener, error) {
	row.ID, row.WorkspaceID = cmp.Or(row.ID, uuid.NewString()), c.WorkspaceID
	row.ComputeType = cmp.Or(row.ComputeType, string(api.ComputeTypeK8s))
	row.CreatedAt, row.UpdatedAt = c.Now, c.Now
	if err := checkComputeType(c, row); err != nil {
		return row, err
	}
	return row, c.Tx.InsertListener(row)
}

func namespacesOf(config api.ListenerComputeConfigRequest) []string {
	namespaces, _ := config.K8sNamespaces.Get()
	return namespaces
}

// NewListener returns a listener as in the API.
func NewListener(row store.Listener) api.Listener {
	return api.Listener{
		ID:            row.ID,
		CreatedAt:     form.DateTime(row.CreatedAt),
		UpdatedAt:     form.DateTime(row.UpdatedAt),
		Version:       row.Version,
		ComputeType:   api.ComputeType(row.ComputeType),
		ComputeID:     row.ComputeID,
		ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: row.K8sNamespaces},
	}
}
