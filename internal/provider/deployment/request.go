package deployment

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// toCreate converts the whole deployment to a create request. Everything in m is known, including the write-only map.
func (m model) toCreate() (api.DeploymentCreateRequest, diag.Diagnostics) {
	var diags diag.Diagnostics
	sourceConfig := m.sourceConfig()
	requestConfig := sourceConfig.toRequest()
	if !sourceConfig.ResourceSpec.IsNull() {
		var spec api.ResourceSpec
		spec, _, diags = resourcespec.ToAPI(sourceConfig.ResourceSpec)
		requestConfig.ResourceSpec = api.Some(spec)
	}
	request := api.DeploymentCreateRequest{
		Name:                 m.Name.ValueString(),
		Source:               api.Source(m.Source.ValueString()),
		SourceConfig:         requestConfig,
		SourceRevisionConfig: m.sourceRevisionConfig().toRequest(),
		Secrets:              m.toSecrets(),
		SecretReferences:     m.toSecretReferences(),
	}
	if uploaded(m.Source) {
		request.SourceRevisionConfig = api.SourceRevisionConfigRequest{} // The service refuses it at creation.
	}
	request.RouteThroughGateway = toOptionalBool(m.RouteThroughGateway)
	if m.Shareable.ValueBool() {
		request.Shareable = api.Some(true)
	}
	return request, diags
}

// toPatch converts the change c to one patch request that leads to m. Everything in m is known. current is what the
// service has; it is used only where a write replaces more than m manages.
func (m model) toPatch(c change, current api.Deployment, prints fingerprints) (api.DeploymentPatchRequest, diag.Diagnostics) {
	var patch api.DeploymentPatchRequest
	var diags diag.Diagnostics
	sourceConfig := c.sourceConfig.toRequest()
	if c.resourceSpec.any() {
		var spec api.ResourceSpec
		spec, diags = resourcespec.Merge(current.SourceConfig.ResourceSpec, m.sourceConfig().ResourceSpec, c.removedSpec...)
		sourceConfig.ResourceSpec = api.Some(spec)
	}
	if sourceConfig != (api.SourceConfigRequest{}) {
		patch.SourceConfig = api.Some(sourceConfig)
	}
	if c.variables() {
		carried, d := m.carried(current.Secrets, prints)
		diags.Append(d...)
		patch.Secrets = api.Some(m.toSecrets(carried...))
	}
	patch.DisplayName = framework.ToOptional[string](c.displayName)
	patch.RouteThroughGateway = toOptionalBool(c.gateway)
	if c.references.any() {
		patch.SecretReferences = m.toSecretReferences()
	}
	sourceRevisionConfig := c.sourceRevisionConfig.toRequest()
	if c.again.any() && !c.variables() && !c.resourceSpec.any() && sourceRevisionConfig == (api.SourceRevisionConfigRequest{}) {
		// The only way to make a revision of what is already deployed is to send it again.
		sourceRevisionConfig = m.sourceRevisionConfig().toRequest()
	}
	if sourceRevisionConfig != (api.SourceRevisionConfigRequest{}) {
		patch.SourceRevisionConfig = api.Some(sourceRevisionConfig)
	}
	return patch, diags
}

// toRequest leaves resource_spec out: whether all of it is sent, and merged with what, depends on the request.
func (c sourceConfigModel) toRequest() api.SourceConfigRequest {
	request := framework.Expand[api.SourceConfigRequest](c)
	if !c.ListenerConfig.IsNull() && !c.ListenerConfig.IsUnknown() {
		placed := framework.FromObject[listenerConfigModel](c.ListenerConfig)
		request.ListenerConfig = api.Some(api.ListenerConfig{K8sNamespace: placed.K8sNamespace.ValueStringPointer()})
	}
	return request
}

func (c sourceRevisionConfigModel) toRequest() api.SourceRevisionConfigRequest {
	return framework.Expand[api.SourceRevisionConfigRequest](c)
}

// toOptionalBool is absent for null and unknown.
func toOptionalBool(value types.Bool) api.Optional[bool] {
	if value.IsUnknown() {
		return api.Optional[bool]{}
	}
	return api.FromPtr(value.ValueBoolPointer())
}
