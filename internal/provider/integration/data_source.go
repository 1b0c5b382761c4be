package integration

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewDataSource is one integration, by id or by name.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[singleModel]{
		Name: "integration", Attributes: singleAttributes, Read: readOne,
		Description: "Reads a Git hosting integration, by ID or account. `git_host` deployments are built from the " +
			"repositories of an integration.",
	})
}

func readOne(ctx context.Context, provider framework.ProviderData, config *singleModel) diag.Diagnostics {
	// The service has no read of a single integration.
	integrations, err := client.Collect(provider.In(config.WorkspaceID).ListIntegrations(ctx))
	if err != nil {
		return framework.Failure{Summary: "Cannot read integration"}.Diagnostics(err)
	}
	var diags diag.Diagnostics
	switch found := config.choose(integrations); len(found) {
	case 1:
		config.model = newModel(found[0])
	case 0:
		diags.AddError("Integration not found",
			fmt.Sprintf("No Git hosting integration of this workspace has the %s. The data source agentplane_integrations "+
				"lists the existing ones; the app is installed at the Git host.", config))
	default:
		diags.AddError("More than one integration",
			fmt.Sprintf("%d Git hosting integrations of this workspace have the %s. Look it up by id instead.", len(found), config))
	}
	return diags
}

// choose returns those that have the configured id, or the configured name.
func (m model) choose(integrations []api.Integration) []api.Integration {
	var found []api.Integration
	for _, integration := range integrations {
		if integration.ID == m.ID.ValueString() || m.ID.IsNull() && integration.Name == m.Name.ValueString() {
			found = append(found, integration)
		}
	}
	return found
}

// String says what is looked for.
func (m model) String() string {
	if m.ID.IsNull() {
		return fmt.Sprintf("name %q", m.Name.ValueString())
	}
	return fmt.Sprintf("id %q", m.ID.ValueString())
}
