package deployment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// promised is m, as the service answered it, with everything that the plan knew: after an apply, Terraform accepts
// nothing else. What the service made of it shows in the next refresh.
func (m model) promised(ctx context.Context, plan model) (model, diag.Diagnostics) {
	sourceConfig, diags := m.promisedConfig(ctx, plan)
	sourceRevisionConfig, d := m.promisedRevisionConfig(ctx, plan)
	diags.Append(d...)

	saved := plan
	saved.SecretsWO = types.MapNull(types.StringType)
	saved.SourceConfig = sourceConfig
	saved.SourceRevisionConfig = sourceRevisionConfig
	saved.WorkspaceID = framework.PlannedOr(plan.WorkspaceID, m.WorkspaceID)
	saved.ID = framework.PlannedOr(plan.ID, m.ID)
	saved.SecretNames = framework.PlannedOr(plan.SecretNames, m.SecretNames)
	saved.CreatedAt = framework.PlannedOr(plan.CreatedAt, m.CreatedAt)
	saved.UpdatedAt = framework.PlannedOr(plan.UpdatedAt, m.UpdatedAt)
	saved.Status = framework.PlannedOr(plan.Status, m.Status)
	saved.LatestRevisionID = framework.PlannedOr(plan.LatestRevisionID, m.LatestRevisionID)
	saved.LatestRevisionStatus = framework.PlannedOr(plan.LatestRevisionStatus, m.LatestRevisionStatus)
	saved.ActiveRevisionID = framework.PlannedOr(plan.ActiveRevisionID, m.ActiveRevisionID)
	saved.ImageVersion = framework.PlannedOr(plan.ImageVersion, m.ImageVersion)
	saved.DisplayName = framework.PlannedOr(plan.DisplayName, m.DisplayName)
	saved.Shareable = framework.PlannedOr(plan.Shareable, m.Shareable)
	saved.URL = framework.PlannedOr(plan.URL, m.URL)
	saved.DashboardURL = framework.PlannedOr(plan.DashboardURL, m.DashboardURL)
	saved.TenantID = framework.PlannedOr(plan.TenantID, m.TenantID)
	saved.TracingProjectID = framework.PlannedOr(plan.TracingProjectID, m.TracingProjectID)
	return saved, diags
}

func (m model) promisedConfig(ctx context.Context, plan model) (types.Object, diag.Diagnostics) {
	answered, diags := m.sourceConfig()
	saved, d := plan.sourceConfig()
	diags.Append(d...)
	saved.DeploymentType = framework.PlannedOr(saved.DeploymentType, answered.DeploymentType)
	saved.BuildOnPush = framework.PlannedOr(saved.BuildOnPush, answered.BuildOnPush)
	saved.CustomURL = framework.PlannedOr(saved.CustomURL, answered.CustomURL)
	saved.InstallCommand = framework.PlannedOr(saved.InstallCommand, answered.InstallCommand)
	saved.BuildCommand = framework.PlannedOr(saved.BuildCommand, answered.BuildCommand)
	saved.RepoBranch = framework.PlannedOr(saved.RepoBranch, answered.RepoBranch)
	object, d := framework.ToObject(ctx, attributeTypes("source_config"), saved)
	diags.Append(d...)
	return object, diags
}

func (m model) promisedRevisionConfig(ctx context.Context, plan model) (types.Object, diag.Diagnostics) {
	answered, diags := m.sourceRevisionConfig()
	saved, d := plan.sourceRevisionConfig()
	diags.Append(d...)
	saved.RepoCommitSHA = framework.PlannedOr(saved.RepoCommitSHA, answered.RepoCommitSHA)
	object, d := framework.ToObject(ctx, attributeTypes("source_revision_config"), saved)
	diags.Append(d...)
	return object, diags
}
