package listener

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// toCreate converts the whole listener to a create request. Everything configured in m is known.
func (m model) toCreate(ctx context.Context) (api.ListenerCreateRequest, diag.Diagnostics) {
	computeConfig, diags := m.toComputeConfig(ctx)
	return api.ListenerCreateRequest{
		Version:       framework.ToOptional[string](m.Version),
		ComputeType:   api.ComputeType(m.ComputeType.ValueString()),
		ComputeID:     m.ComputeID.ValueString(),
		ComputeConfig: computeConfig,
	}, diags
}

// toPatch returns the effective difference between m and state, and whether there is one. The service keeps what a request
// omits, so what m doesn't set is no difference.
func (m model) toPatch(ctx context.Context, state model) (api.ListenerPatchRequest, bool, diag.Diagnostics) {
	var patch api.ListenerPatchRequest
	if !m.Version.Equal(state.Version) {
		patch.Version = framework.ToOptional[string](m.Version)
	}
	var diags diag.Diagnostics
	if !m.ComputeConfig.Equal(state.ComputeConfig) {
		computeConfig, d := m.toComputeConfig(ctx)
		diags.Append(d...)
		if computeConfig != (api.ListenerComputeConfigRequest{}) {
			patch.ComputeConfig = api.Some(computeConfig)
		}
	}
	return patch, patch != (api.ListenerPatchRequest{}), diags
}

func (m model) toComputeConfig(ctx context.Context) (api.ListenerComputeConfigRequest, diag.Diagnostics) {
	var request api.ListenerComputeConfigRequest
	computeConfig, diags := m.computeConfig(ctx)
	if computeConfig.K8sNamespaces.IsNull() || computeConfig.K8sNamespaces.IsUnknown() {
		return request, diags
	}
	namespaces := []string{} // An empty list differs from null.
	diags.Append(computeConfig.K8sNamespaces.ElementsAs(ctx, &namespaces, false)...)
	request.K8sNamespaces = api.Some(namespaces)
	return request, diags
}

// computeConfig returns an empty value for an object that is null or unknown as a whole.
func (m model) computeConfig(ctx context.Context) (computeConfigModel, diag.Diagnostics) {
	computeConfig := computeConfigModel{K8sNamespaces: types.ListNull(types.StringType)}
	if m.ComputeConfig.IsNull() || m.ComputeConfig.IsUnknown() {
		return computeConfig, nil
	}
	diags := m.ComputeConfig.As(ctx, &computeConfig, basetypes.ObjectAsOptions{})
	return computeConfig, diags
}
