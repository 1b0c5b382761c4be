package listener

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// dataModel is one listener in data sources.
type dataModel struct {
	ID            types.String `tfsdk:"id"`
	ComputeType   types.String `tfsdk:"compute_type"`
	ComputeID     types.String `tfsdk:"compute_id"`
	ComputeConfig types.Object `tfsdk:"compute_config"`
	Version       types.String `tfsdk:"version"`
	CreatedAt     types.String `tfsdk:"created_at"`
	UpdatedAt     types.String `tfsdk:"updated_at"`
}

// singleDataModel is the data source that reads one listener.
type singleDataModel struct {
	dataModel
	WorkspaceID types.String `tfsdk:"workspace_id"`
}

func newDataModel(answer api.Listener) dataModel {
	return framework.Narrow[dataModel](newModel(model{}, answer))
}
