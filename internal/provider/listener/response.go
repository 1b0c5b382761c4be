package listener

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// newModel is the listener as the service answers it. What is no business of the service's stays as in prior, a state or
// a plan. No unknown is left, except for a workspace that prior doesn't know.
func newModel(ctx context.Context, prior model, answer api.Listener) (model, diag.Diagnostics) {
	// A list that the service leaves out is null: it doesn't say which namespaces there are.
	namespaces, diags := types.ListValueFrom(ctx, types.StringType, answer.ComputeConfig.K8sNamespaces)
	computeConfig, d := types.ObjectValueFrom(ctx, attributeTypes("compute_config"), computeConfigModel{K8sNamespaces: namespaces})
	diags.Append(d...)

	m := prior
	m.ID = types.StringValue(answer.ID)
	m.ComputeType = types.StringValue(string(answer.ComputeType))
	m.ComputeID = types.StringValue(answer.ComputeID)
	m.ComputeConfig = computeConfig
	m.Version = framework.String(answer.Version)
	m.CreatedAt = framework.StringOrNull(answer.CreatedAt)
	m.UpdatedAt = framework.StringOrNull(answer.UpdatedAt)
	return m, diags
}
