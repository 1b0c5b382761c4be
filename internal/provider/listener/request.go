package listener

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// toCreate converts the whole listener to a create request. Everything configured in m is known.
func (m model) toCreate() api.ListenerCreateRequest {
	return api.ListenerCreateRequest{
		Version:       framework.ToOptional[string](m.Version),
		ComputeType:   api.ComputeType(m.ComputeType.ValueString()),
		ComputeID:     m.ComputeID.ValueString(),
		ComputeConfig: m.toComputeConfig(),
	}
}

// toPatch returns the effective difference between m and state, and whether there is one. The service keeps what a request
// omits, so what m doesn't set is no difference.
func (m model) toPatch(state model) (api.ListenerPatchRequest, bool) {
	var patch api.ListenerPatchRequest
	if !m.Version.Equal(state.Version) {
		patch.Version = framework.ToOptional[string](m.Version)
	}
	if !m.ComputeConfig.Equal(state.ComputeConfig) {
		if computeConfig := m.toComputeConfig(); computeConfig != (api.ListenerComputeConfigRequest{}) {
			patch.ComputeConfig = api.Some(computeConfig)
		}
	}
	return patch, patch != (api.ListenerPatchRequest{})
}

func (m model) toComputeConfig() api.ListenerComputeConfigRequest {
	namespaces := m.namespaces()
	if namespaces.IsNull() || namespaces.IsUnknown() {
		return api.ListenerComputeConfigRequest{}
	}
	return api.ListenerComputeConfigRequest{K8sNamespaces: api.Some(framework.Texts[string](namespaces))} // An empty list differs from null.
}

// namespaces are null for a compute_config that is null or unknown as a whole.
func (m model) namespaces() types.List {
	return framework.FromObject[computeConfigModel](m.ComputeConfig).K8sNamespaces
}
