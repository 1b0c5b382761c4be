package tracingproject

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type dataSource struct{ framework.DataSource }

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

// NewDataSource is one tracing project, by id, by name or by deployment.
func NewDataSource() datasource.DataSource { return &dataSource{} }

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_tracing_project"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Looks one tracing project up, by its ID, by its name or by a deployment: one of the same name is " +
			"created with each deployment, and collects its traces.",
		Attributes: attributes(),
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	project, diags := find(ctx, d.In(config.WorkspaceID), config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	found := newModel(config, *project)
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
}

// find looks the project up by what is configured.
func find(ctx context.Context, c *client.Client, config model) (*api.TracingProject, diag.Diagnostics) {
	cannot := framework.Failure{Summary: "Cannot read tracing project"}
	switch {
	case !config.ID.IsNull():
		project, err := c.GetTracingProject(ctx, config.ID.ValueString())
		if err != nil {
			return nil, cannot.Diagnostics(err)
		}
		return project, nil
	case !config.Name.IsNull():
		return named(ctx, c, path.Root("name"), config.Name.ValueString())
	}
	deployment, err := c.GetDeployment(ctx, config.DeploymentID.ValueString())
	if err != nil {
		cannot.Summary = "Cannot read the deployment of the tracing project"
		return nil, cannot.Diagnostics(err)
	}
	return named(ctx, c, path.Root("deployment_id"), deployment.Name)
}

// named is the project of that name, which is looked for because of the attribute at a path.
func named(ctx context.Context, c *client.Client, because path.Path, name string) (*api.TracingProject, diag.Diagnostics) {
	project, err := c.FindTracingProject(ctx, name)
	switch {
	case client.IsNotFound(err):
		return nil, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(because, "Tracing project not found",
			fmt.Sprintf("No tracing project of this workspace is named %q. One is created with a deployment of that name, and may "+
				"have been deleted since; check workspace_id (AGENTPLANE_WORKSPACE_ID) of the provider, too.", name))}
	case err != nil:
		return nil, framework.Failure{Summary: "Cannot read tracing project"}.Diagnostics(err)
	}
	return project, nil
}
