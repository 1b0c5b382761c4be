package listener

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type dataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

// NewDataSource is one listener, by id or by compute_id.
func NewDataSource() datasource.DataSource { return &dataSource{} }

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_listener"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a listener, by ID or compute ID. Listeners deploy `external_container` deployments to " +
			"self-hosted compute.",
		Attributes: singleDataAttributes(),
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config singleDataModel
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("workspace_id"), &config.WorkspaceID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("id"), &config.ID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("compute_id"), &config.ComputeID)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := d.lookUp(ctx, config)
	if err != nil {
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot read listener"}.Diagnostics(err)...)
		return
	}
	if found == nil {
		resp.Diagnostics.AddAttributeError(path.Root("compute_id"), "Listener not found",
			fmt.Sprintf("No listener of this workspace has the compute_id %q. The data source agentplane_listeners lists "+
				"the existing ones. Also check the provider's workspace_id (AGENTPLANE_WORKSPACE_ID).", config.ComputeID.ValueString()))
		return
	}
	shown, diags := newDataModel(ctx, *found)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &singleDataModel{dataModel: shown, WorkspaceID: config.WorkspaceID})...)
}

// lookUp is nil without an error when no listener has the compute_id.
func (d *dataSource) lookUp(ctx context.Context, config singleDataModel) (*api.Listener, error) {
	c := d.In(config.WorkspaceID)
	if !config.ID.IsNull() {
		return c.GetListener(ctx, config.ID.ValueString())
	}
	return find(ctx, c, config.ComputeID.ValueString())
}

// find is nil without an error when no listener has the compute_id. The service has no filter for it.
func find(ctx context.Context, c *client.Client, computeID string) (*api.Listener, error) {
	listeners, err := client.Collect(c.ListListeners(ctx))
	if err != nil {
		return nil, err
	}
	for _, listener := range listeners {
		if listener.ComputeID == computeID {
			return &listener, nil
		}
	}
	return nil, nil
}
