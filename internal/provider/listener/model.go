package listener

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// model is the resource in configuration, plan and state. compute_config stays a framework type here, because it may be
// unknown as a whole in a plan.
type model struct {
	dataModel
	WorkspaceID types.String   `tfsdk:"workspace_id"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
}

// dataModel is what data sources show of a listener: what the service returns.
type dataModel struct {
	ID            types.String `tfsdk:"id"`
	ComputeType   types.String `tfsdk:"compute_type"`
	ComputeID     types.String `tfsdk:"compute_id"`
	ComputeConfig types.Object `tfsdk:"compute_config"`
	Version       types.String `tfsdk:"version"`
	CreatedAt     types.String `tfsdk:"created_at"`
	UpdatedAt     types.String `tfsdk:"updated_at"`
}

// ResourceIdentity implements framework.Identified.
func (m model) ResourceIdentity() any {
	return framework.Identity{WorkspaceID: m.WorkspaceID, ID: m.ID}
}

type computeConfigModel struct {
	K8sNamespaces types.List `tfsdk:"k8s_namespaces"`
}
