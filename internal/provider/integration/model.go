package integration

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

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
