package deployment

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// Behaviour and restrictions that depend on the dialect of the service.

// dialectOf returns the dialect of the service. While the provider's configuration is unknown, which happens only in plans, it is the neutral
// one.
func dialectOf(provider *framework.ProviderData) *api.Dialect {
	if provider.Client == nil {
		return api.Neutral
	}
	return provider.Client.Dialect()
}

// explicit adds to a create request what the dialect requires explicitly.
func explicit(dialect *api.Dialect, request api.DeploymentCreateRequest) api.DeploymentCreateRequest {
	if dialect.RequiresResourceSpec && request.Source == api.SourceExternalContainer && !request.SourceConfig.ResourceSpec.Present {
		request.SourceConfig.ResourceSpec = api.Some(api.ResourceSpec{})
	}
	return request
}

// reservedByProject explains what may reserve a name that no deployment has; empty if nothing can.
func reservedByProject(dialect *api.Dialect, name string) string {
	if !dialect.ProjectsBlockNames {
		return ""
	}
	return fmt.Sprintf(" A tracing project %q also reserves the name, even if left by a deleted deployment. If it is no "+
		"longer needed, delete it in the service, with its traces. To delete a project together with its deployment, set "+
		"delete_tracing_project.", name)
}

// keptProject explains why a deployment that has served can't be replaced by one of the same name; empty if it can.
func keptProject(dialect *api.Dialect, m model) string {
	if !dialect.ProjectsBlockNames || m.DeleteTracingProject.ValueBool() {
		return ""
	}
	return fmt.Sprintf(" If the rollout succeeds before that, the replacement fails: destroying the deployment keeps the "+
		"tracing project %q, which reserves the name.", m.Name.ValueString())
}

// adoptImported clears what an import should not manage: otherwise every default of the service would be managed.
func (m model) adoptImported(dialect *api.Dialect) model {
	if !dialect.FillsResourceSpec {
		return m
	}
	return m.withSourceConfig(func(c *sourceConfigModel) { c.ResourceSpec = types.ObjectNull(resourcespec.Types()) })
}

// withoutExtended plans null for what the service doesn't support. A configured value that is still unknown stays unknown:
// Terraform accepts no other plan, and the apply refuses any value.
func (m model) withoutExtended(config model) model {
	for _, attribute := range []struct {
		planned    *types.String
		configured types.String
	}{
		{&m.URL, config.URL}, {&m.DashboardURL, config.DashboardURL}, {&m.TenantID, config.TenantID},
		{&m.TracingProjectID, config.TracingProjectID}, {&m.DisplayName, config.DisplayName}, {&m.DeploymentTier, config.DeploymentTier},
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
