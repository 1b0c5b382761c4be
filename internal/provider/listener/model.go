package listener

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// model is one listener, in the data source of one and in the list of many.
type model struct {
	ID            types.String       `tfsdk:"id"`
	ComputeType   types.String       `tfsdk:"compute_type"`
	ComputeID     types.String       `tfsdk:"compute_id"`
	ComputeConfig computeConfigModel `tfsdk:"compute_config"`
	Version       types.String       `tfsdk:"version"`
	CreatedAt     types.String       `tfsdk:"created_at"`
	UpdatedAt     types.String       `tfsdk:"updated_at"`
}

type computeConfigModel struct {
	K8sNamespaces types.List `tfsdk:"k8s_namespaces"`
}

// singleModel is the data source of one listener.
type singleModel struct {
	model
	WorkspaceID types.String `tfsdk:"workspace_id"`
}

func newModel(ctx context.Context, listener api.Listener) (model, diag.Diagnostics) {
	// A list that the service leaves out is null: it doesn't say which namespaces there are.
	namespaces, diags := types.ListValueFrom(ctx, types.StringType, listener.ComputeConfig.K8sNamespaces)
	return model{
		ID:            types.StringValue(listener.ID),
		ComputeType:   types.StringValue(string(listener.ComputeType)),
		ComputeID:     types.StringValue(listener.ComputeID),
		ComputeConfig: computeConfigModel{K8sNamespaces: namespaces},
		Version:       framework.String(listener.Version),
		CreatedAt:     framework.StringOrNull(listener.CreatedAt),
		UpdatedAt:     framework.StringOrNull(listener.UpdatedAt),
	}, diags
}
