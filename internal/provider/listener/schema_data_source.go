package listener

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// dataAttributes are those of one listener; all of them are read from the service.
func dataAttributes() map[string]schema.Attribute {
	return framework.Computed(listenerSchema().Attributes, "workspace_id", "timeouts")
}

// singleDataAttributes are dataAttributes with the two that a listener can be looked up by.
func singleDataAttributes() map[string]schema.Attribute {
	all := dataAttributes()
	all["id"] = framework.DataKey("ID of the listener, a UUID: the `source_config.listener_id` of a deployment. Exactly one of "+
		"`id` and `compute_id` is set.", framework.UUID(), framework.ExactlyOneOf("id", "compute_id"))
	all["compute_id"] = framework.DataKey("ID of the compute that the listener deploys to, for example the cluster's name; unique in "+
		"the workspace. Exactly one of `id` and `compute_id` is set.", stringvalidator.LengthAtLeast(1))
	return all
}
