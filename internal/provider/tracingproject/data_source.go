package tracingproject

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// NewDataSource is one tracing project, by id, by name or by deployment.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[model]{
		Name: "tracing_project", Attributes: attributes, Read: readOne,
		Description: "Reads a tracing project, by ID, name or deployment. A project of the same name is created " +
			"with each deployment and collects its traces. With a window, it also reads statistics.",
	})
}

func readOne(ctx context.Context, provider framework.ProviderData, config *model) diag.Diagnostics {
	c := provider.In(config.WorkspaceID)
	project, diags := lookup.ProjectReference{
		ID: config.ID, Name: config.Name, DeploymentID: config.DeploymentID, NamePath: path.Root("name"),
	}.Find(ctx, c)
	if diags.HasError() {
		return diags
	}
	statistics, d := measured(ctx, c, *config, project.ID, provider.Now())
	diags.Append(d...)
	if !diags.HasError() {
		config.projectModel, config.Statistics = newProjectModel(*project), statistics
	}
	return diags
}
