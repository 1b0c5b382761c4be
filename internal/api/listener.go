package api

// ComputeType is the kind of compute that a listener deploys to.
type ComputeType string

// ComputeTypeK8s is the only compute type there is.
const ComputeTypeK8s ComputeType = "k8s"

// Listener deploys external_container deployments into one compute of a self-hosted organization.
type Listener struct {
	ID          string      `json:"id"`
	CreatedAt   string      `json:"created_at"`
	UpdatedAt   string      `json:"updated_at"`
	Version     *string     `json:"version"`
	ComputeType ComputeType `json:"compute_type"`
	// ComputeID is chosen by whoever registers the listener, for example the cluster's name; unique in a workspace.
	ComputeID     string                `json:"compute_id"`
	ComputeConfig ListenerComputeConfig `json:"compute_config"`
}

// ListenerComputeConfig holds the settings that depend on the compute type.
type ListenerComputeConfig struct {
	// K8sNamespaces are the namespaces that the listener may deploy to; nil when it reports none.
	K8sNamespaces []string `json:"k8s_namespaces"`
}
