package listener

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// newModel converts the listener that the service returned. Settings that aren't sent to the service are kept from prior,
// a state or a plan. The result has no unknown values, except a workspace that is unknown in prior.
func newModel(prior model, answer api.Listener) model {
	m := prior
	m.ID = types.StringValue(answer.ID)
	m.ComputeType = types.StringValue(string(answer.ComputeType))
	m.ComputeID = types.StringValue(answer.ComputeID)
	// A list that the service omits is null: the namespaces are unknown.
	m.ComputeConfig = framework.ToObject(attributeTypes("compute_config"), computeConfigModel{framework.TextList(answer.ComputeConfig.K8sNamespaces)})
	m.Version = framework.String(answer.Version)
	m.CreatedAt = framework.StringOrNull(answer.CreatedAt)
	m.UpdatedAt = framework.StringOrNull(answer.UpdatedAt)
	return m
}
