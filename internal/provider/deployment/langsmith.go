package deployment

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Features of the LangSmith API, which not every dialect has.

// refuseExtended returns an error for everything in a configuration that the service doesn't support.
func refuseExtended(dialect *api.Dialect, config model) diag.Diagnostics {
	if dialect.LangSmithAPI {
		return nil
	}
	var diags diag.Diagnostics
	sourceConfig := config.sourceConfig()
	refuse := func(at path.Path, set bool, value string) {
		if set {
			diags.Append(framework.Unsupported(dialect, at, value))
		}
	}
	known := func(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }
	source, deploymentType := config.Source.ValueString(), sourceConfig.DeploymentType.ValueString()
	inConfig, inRevision := path.Root("source_config"), path.Root("source_revision_config")
	refuse(path.Root("source"), slices.Contains(api.ExtendedSources, api.Source(source)), source)
	refuse(inConfig.AtName("deployment_type"), slices.Contains(api.ExtendedDeploymentTypes, api.DeploymentType(deploymentType)), deploymentType)
	refuse(inConfig.AtName("template_id"), known(sourceConfig.TemplateID), "")
	refuse(inRevision.AtName("source_tarball_path"), known(config.sourceRevisionConfig().SourceTarballPath), "")
	refuse(path.Root("display_name"), known(config.DisplayName), "")
	refuse(path.Root("secret_references"), known(config.SecretReferences), "")
	refuse(path.Root("shareable"), known(config.Shareable), "")
	refuse(path.Root("route_through_gateway"), known(config.RouteThroughGateway), "")
	refuse(path.Root("deployment_tier"), known(config.DeploymentTier), "")
	refuse(path.Root("compute_tier"), known(config.ComputeTier), "")
	refuse(path.Root("database_tier"), known(config.DatabaseTier), "")
	refuse(path.Root("delete_tracing_project"), config.DeleteTracingProject.ValueBool(), "true")
	return diags
}

// withoutExtended plans null for what the service doesn't support. A configured value that is still unknown stays unknown:
// Terraform accepts no other plan, and the apply refuses any value.
func (m model) withoutExtended(config model) model {
	for _, attribute := range []*types.String{&m.URL, &m.DashboardURL, &m.TenantID, &m.TracingProjectID} {
		*attribute = framework.PlannedOr(*attribute, types.StringNull())
	}
	for _, attribute := range []struct {
		planned    *types.String
		configured types.String
	}{
		{&m.DisplayName, config.DisplayName}, {&m.DeploymentTier, config.DeploymentTier},
		{&m.ComputeTier, config.ComputeTier}, {&m.DatabaseTier, config.DatabaseTier},
	} {
		if !attribute.configured.IsUnknown() {
			*attribute.planned = framework.PlannedOr(*attribute.planned, types.StringNull())
		}
	}
	if !config.Shareable.IsUnknown() {
		m.Shareable = framework.PlannedOr(m.Shareable, types.BoolNull())
	}
	if !config.RouteThroughGateway.IsUnknown() {
		m.RouteThroughGateway = framework.PlannedOr(m.RouteThroughGateway, types.BoolNull())
	}
	return m.withSourceConfig(func(c *sourceConfigModel) { c.RepoBranch = framework.PlannedOr(c.RepoBranch, types.StringNull()) })
}
