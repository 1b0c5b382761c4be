package listener

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// model is the resource in configuration, plan and state. compute_config stays a framework type here, because it may be
// unknown as a whole in a plan.
type model struct {
	dataModel
	WorkspaceID types.String   `tfsdk:"workspace_id"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
}

// dataModel has the attributes that the service returns.
type dataModel struct {
	ID            types.String `tfsdk:"id"`
	ComputeType   types.String `tfsdk:"compute_type"`
	ComputeID     types.String `tfsdk:"compute_id"`
	ComputeConfig types.Object `tfsdk:"compute_config"`
	Version       types.String `tfsdk:"version"`
	CreatedAt     types.String `tfsdk:"created_at"`
	UpdatedAt     types.String `tfsdk:"updated_at"`
}

// ResourceIdentity implements framework.Identified.
func (m model) ResourceIdentity() any {
	return framework.Identity{WorkspaceID: m.WorkspaceID, ID: m.ID}
}

type computeConfigModel struct {
	K8sNamespaces types.List `tfsdk:"k8s_namespaces"`
}

// toCreate converts the whole listener to a create request. Everything configured in m is known.
func (m model) toCreate() api.ListenerCreateRequest {
	request := framework.Expand[api.ListenerCreateRequest](m)
	request.ComputeConfig = m.toComputeConfig()
	return request
}

// toPatch returns the effective difference between m and state, and whether there is one. The service keeps what a request
// omits, so what m doesn't set is no difference.
func (m model) toPatch(state model) (api.ListenerPatchRequest, bool) {
	patch := framework.Expand[api.ListenerPatchRequest](framework.Changes(m, state))
	if !m.ComputeConfig.Equal(state.ComputeConfig) {
		if computeConfig := m.toComputeConfig(); computeConfig != (api.ListenerComputeConfigRequest{}) {
			patch.ComputeConfig = api.Some(computeConfig)
		}
	}
	return patch, patch != (api.ListenerPatchRequest{})
}

// differs reports whether toPatch has, or may have, something to change. Values may be unknown.
func (m model) differs(state model) bool {
	return framework.MayDiffer[api.ListenerPatchRequest](m, state)
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

// newModel converts the listener that the service returned. Settings that aren't sent to the service are kept from prior,
// a state or a plan. The result has no unknown values, except a workspace that is unknown in prior.
func newModel(prior model, answer api.Listener) model {
	m := framework.Flatten(prior, answer)
	// A list that the service omits is null: the namespaces are unknown.
	m.ComputeConfig = framework.ToObject(attributeTypes("compute_config"), computeConfigModel{framework.TextsInOrder(prior.namespaces(), answer.ComputeConfig.K8sNamespaces)})
	return m
}
