package tracingproject

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// attributes are those of one tracing project, with the three that it can be looked up by.
func attributes() map[string]schema.Attribute {
	all := projectAttributes()
	maps.Copy(all, map[string]schema.Attribute{
		"id": framework.DataKey("ID of the tracing project, a UUID. Exactly one of `id`, `name` and `deployment_id` is set.",
			framework.UUID(), framework.ExactlyOneOf("id", "name", "deployment_id")),
		"name": framework.DataKey("Exact name of the tracing project, unique in the workspace. Exactly one of `id`, `name` and "+
			"`deployment_id` is set.", stringvalidator.LengthAtLeast(1)),
		"deployment_id": framework.DataFilter("ID of the deployment whose traces the project collects, a UUID: the project that has the "+
			"deployment's name. Exactly one of `id`, `name` and `deployment_id` is set.", framework.UUID()),
	})
	maps.Copy(all, windowAttributes())
	return all
}

// projectAttributes are read from the service, whatever a project was looked up by.
func projectAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"description": framework.DataString("Description of the tracing project; null if it has none."),
		"start_time":  framework.DataString("When the tracing project was created (RFC 3339)."),
		"end_time":    framework.DataString("When the tracing project was closed (RFC 3339); null while it is open."),
		"reference_dataset_id": framework.DataString("ID of the dataset that the tracing project evaluates; null for the project of a " +
			"deployment."),
	}
}
