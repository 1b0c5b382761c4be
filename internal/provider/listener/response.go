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

// promised is m, as the service answered it, with everything that the plan knew: after an apply, Terraform accepts
// nothing else. What the service made of it shows in the next refresh.
func (m model) promised(ctx context.Context, plan model) (model, diag.Diagnostics) {
	answered, diags := m.computeConfig(ctx)
	computeConfig, d := plan.computeConfig(ctx)
	diags.Append(d...)
	computeConfig.K8sNamespaces = framework.PlannedOr(computeConfig.K8sNamespaces, answered.K8sNamespaces)
	object, d := types.ObjectValueFrom(ctx, attributeTypes("compute_config"), computeConfig)
	diags.Append(d...)

	saved := plan
	saved.WorkspaceID = framework.PlannedOr(plan.WorkspaceID, m.WorkspaceID)
	saved.ID = framework.PlannedOr(plan.ID, m.ID)
	saved.ComputeConfig = object
	saved.Version = framework.PlannedOr(plan.Version, m.Version)
	saved.CreatedAt = framework.PlannedOr(plan.CreatedAt, m.CreatedAt)
	saved.UpdatedAt = framework.PlannedOr(plan.UpdatedAt, m.UpdatedAt)
	return saved, diags
}
