package deployment

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// dataAttributes returns the attributes of one deployment. Values of environment variables may be secrets, so only their
// names are included.
func dataAttributes() map[string]schema.Attribute {
	return framework.Computed(deploymentSchema().Attributes,
		"workspace_id", "environment", "secrets", "secrets_wo", "secrets_wo_version", "environment_ownership", "triggers",
		"wait_for_deployed", "on_failed_create", "deletion_protection", "timeouts", "latest_revision_status", "delete_tracing_project",
		"revision_reasons")
}

// singleDataAttributes are dataAttributes with the two that a deployment can be looked up by.
func singleDataAttributes() map[string]schema.Attribute {
	all := dataAttributes()
	all["latest_revision_status"] = framework.DataString("Status of the newest revision.")
	all["id"] = framework.DataKey("ID of the deployment, a UUID. Exactly one of `id` and `name` is set.",
		framework.UUID(), framework.ExactlyOneOf("id", "name"))
	all["name"] = framework.DataKey("Exact name of the deployment. Exactly one of `id` and `name` is set.", stringvalidator.LengthAtLeast(1))
	return all
}
