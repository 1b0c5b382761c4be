package integration

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// attributes are those of one integration; all of them are read from the service.
func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": framework.DataString("ID of the integration, a UUID: the `source_config.integration_id` of a deployment."),
		"installation_id": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "The Git host's numeric ID of the installation.",
		},
		"name": framework.DataString("Account at the Git host in which the app is installed."),
	}
}

// singleAttributes are attributes with the two that an integration can be looked up by.
func singleAttributes() map[string]schema.Attribute {
	all := attributes()
	all["id"] = framework.DataKey("ID of the integration, a UUID: the `source_config.integration_id` of a deployment. Exactly "+
		"one of `id` and `name` is set.", framework.UUID(), framework.ExactlyOneOf("id", "name"))
	all["name"] = framework.DataKey("Account at the Git host in which the app is installed. Exactly one of `id` and `name` is set.",
		stringvalidator.LengthAtLeast(1))
	return all
}
