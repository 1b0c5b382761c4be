package tracingproject

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists the tracing projects of a workspace.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "tracing_projects", Read: readList,
		Description: "Lists the tracing projects of a workspace: those that collect the traces of deployments, those that " +
			"clients created, and those that evaluate datasets, which have a `reference_dataset_id`.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"name_contains": framework.DataFilter("Only tracing projects whose name contains this text. Default: all.",
					stringvalidator.LengthAtLeast(1)),
				"tracing_projects": framework.DataList("The tracing projects, in the order in which the service lists them.", listedAttributes()),
			}
		},
	})
}

type listModel struct {
	WorkspaceID     types.String   `tfsdk:"workspace_id"`
	NameContains    types.String   `tfsdk:"name_contains"`
	TracingProjects []projectModel `tfsdk:"tracing_projects"`
}

func listedAttributes() map[string]schema.Attribute {
	attributes := projectAttributes()
	attributes["id"] = framework.DataString("ID of the tracing project, a UUID.")
	attributes["name"] = framework.DataString("Name of the tracing project, unique in the workspace.")
	return attributes
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) (diags diag.Diagnostics) {
	projects := provider.In(config.WorkspaceID).ListTracingProjects(ctx, config.NameContains.ValueString())
	config.TracingProjects, diags = framework.Listed(framework.Failure{Summary: "Cannot list tracing projects"}, projects, newProjectModel)
	return diags
}
