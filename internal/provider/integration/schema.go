package integration

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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

// model is one integration, in the data source of one and in the list of many.
type model struct {
	ID             types.String `tfsdk:"id"`
	InstallationID types.Int64  `tfsdk:"installation_id"`
	Name           types.String `tfsdk:"name"`
}

// singleModel is the data source of one integration.
type singleModel struct {
	model
	WorkspaceID types.String `tfsdk:"workspace_id"`
}

func newModel(integration api.Integration) model {
	return model{
		ID:             types.StringValue(integration.ID),
		InstallationID: types.Int64Value(integration.InstallationID),
		Name:           types.StringValue(integration.Name),
	}
}
