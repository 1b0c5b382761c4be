package tracingproject

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
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

func readOne(ctx context.Context, p *framework.ProviderData, c *client.Client, config *model) diag.Diagnostics {
	project, diags := lookup.ProjectReference{
		ID: config.ID, Name: config.Name, DeploymentID: config.DeploymentID, NamePath: path.Root("name"),
	}.Find(ctx, c)
	if diags.HasError() {
		return diags
	}
	statistics, d := measured(ctx, c, *config, project.ID, p.Now())
	diags.Append(d...)
	if !diags.HasError() {
		config.projectModel, config.Statistics = newProjectModel(*project), statistics
	}
	return diags
}

// listConfig selects tracing projects.
type listConfig struct {
	NameContains types.String `tfsdk:"name_contains"`
}

// NewListDataSource lists the tracing projects of a workspace.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[listConfig, api.TracingProject, projectModel]{
		Name: "tracing_projects", Summary: "Cannot list tracing projects", Attributes: listedAttributes, Model: newProjectModel,
		Description: "Lists the tracing projects of a workspace: those that collect the traces of deployments, those that " +
			"clients created, and those that evaluate datasets, which have a `reference_dataset_id`.",
		Arguments: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"name_contains": framework.DataFilter("Only tracing projects whose name contains this text. Default: all.",
					stringvalidator.LengthAtLeast(1)),
			}
		},
		ListDescription: "The tracing projects, in the order in which the service lists them.",
		Items: func(ctx context.Context, c *client.Client, config listConfig) iter.Seq2[api.TracingProject, error] {
			return c.ListTracingProjects(ctx, config.NameContains.ValueString())
		},
	})
}

func listedAttributes() map[string]schema.Attribute {
	attributes := projectAttributes()
	attributes["id"] = framework.DataString("ID of the tracing project, a UUID.")
	attributes["name"] = framework.DataString("Name of the tracing project, unique in the workspace.")
	return attributes
}
