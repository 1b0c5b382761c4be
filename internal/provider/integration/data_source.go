package integration

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type dataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

// NewDataSource is one integration, by id or by name.
func NewDataSource() datasource.DataSource { return &dataSource{} }

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_integration"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a Git hosting integration, by ID or account. `git_host` deployments are built from the " +
			"repositories of an integration.",
		Attributes: singleAttributes(),
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config singleModel
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// The service has no read of a single integration.
	integrations, err := client.Collect(d.In(config.WorkspaceID).ListIntegrations(ctx))
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot read integration"}.Diagnostics(err)...)
		return
	}
	found := config.choose(integrations)
	switch len(found) {
	case 1:
		state := singleModel{model: newModel(found[0]), WorkspaceID: config.WorkspaceID}
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	case 0:
		resp.Diagnostics.AddError("Integration not found",
			fmt.Sprintf("No Git hosting integration of this workspace has the %s. The data source agentplane_integrations "+
				"lists the existing ones; the app is installed at the Git host.", config))
	default:
		resp.Diagnostics.AddError("More than one integration",
			fmt.Sprintf("%d Git hosting integrations of this workspace have the %s. Look it up by id instead.", len(found), config))
	}
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
