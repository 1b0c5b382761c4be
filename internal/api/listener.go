package api

// ComputeType is the kind of compute that a listener deploys to.
type ComputeType string

// ComputeTypeK8s is the only compute type.
const ComputeTypeK8s ComputeType = "k8s"

// ComputeTypes lists every ComputeType.
var ComputeTypes = []ComputeType{ComputeTypeK8s}

// Listener deploys external_container deployments to one cluster of a self-hosted organization.
type Listener struct {
	ID          string      `json:"id" format:"uuid"`
	CreatedAt   string      `json:"created_at"`
	UpdatedAt   string      `json:"updated_at"`
	Version     *string     `json:"version"`
	ComputeType ComputeType `json:"compute_type"`
	// ComputeID is chosen when the listener is registered, for example the cluster's name; unique in a workspace.
	ComputeID     string                `json:"compute_id"`
	ComputeConfig ListenerComputeConfig `json:"compute_config"`
}

// ListenerComputeConfig holds the settings that depend on the compute type.
type ListenerComputeConfig struct {
	// K8sNamespaces are the namespaces that the listener may deploy to; nil if it reports none.
	K8sNamespaces []string `json:"k8s_namespaces"`
}

// ListenerCreateRequest is the body of POST /v2/listeners.
type ListenerCreateRequest struct {
	Version Optional[string] `json:"version,omitzero"`
	// ComputeType and ComputeID can't be changed by a patch.
	ComputeType   ComputeType                  `json:"compute_type"`
	ComputeID     string                       `json:"compute_id"`
	ComputeConfig ListenerComputeConfigRequest `json:"compute_config"`
}

// ListenerPatchRequest is the body of PATCH /v2/listeners/{listener_id}. Absent and null both keep what is there.
type ListenerPatchRequest struct {
	Version       Optional[string]                       `json:"version,omitzero"`
	ComputeConfig Optional[ListenerComputeConfigRequest] `json:"compute_config,omitzero"`
}

// ListenerComputeConfigRequest is ListenerComputeConfig in a create or a patch, which replaces all of it.
type ListenerComputeConfigRequest struct {
	K8sNamespaces Optional[[]string] `json:"k8s_namespaces,omitzero"`
}
