package tracingproject

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewListDataSource lists the tracing projects of a workspace.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{Name: "tracing_projects", Schema: listSchema, Read: readList})
}

type listModel struct {
	WorkspaceID     types.String   `tfsdk:"workspace_id"`
	NameContains    types.String   `tfsdk:"name_contains"`
	TracingProjects []projectModel `tfsdk:"tracing_projects"`
}

// projectModel is one of several tracing projects.
type projectModel struct {
	ID                 types.String `tfsdk:"id"`
	Name               types.String `tfsdk:"name"`
	Description        types.String `tfsdk:"description"`
	StartTime          types.String `tfsdk:"start_time"`
	EndTime            types.String `tfsdk:"end_time"`
	ReferenceDatasetID types.String `tfsdk:"reference_dataset_id"`
}

func newProjectModel(project api.TracingProject) projectModel {
	return projectModel{
		ID:                 types.StringValue(project.ID),
		Name:               types.StringValue(project.Name),
		Description:        framework.String(project.Description),
		StartTime:          framework.StringOrNull(project.StartTime),
		EndTime:            framework.String(project.EndTime),
		ReferenceDatasetID: framework.String(project.ReferenceDatasetID),
	}
}

func listSchema() schema.Schema {
	attributes := projectAttributes()
	attributes["id"] = framework.DataString("ID of the tracing project, a UUID.")
	attributes["name"] = framework.DataString("Name of the tracing project, unique in the workspace.")
	return schema.Schema{
		MarkdownDescription: "Lists the tracing projects of a workspace: those that collect the traces of deployments, those that " +
			"clients created, and those that evaluate datasets, which have a `reference_dataset_id`.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.WorkspaceAttribute(),
			"name_contains": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Only tracing projects whose name contains this text. Default: all.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"tracing_projects": framework.DataList("The tracing projects, in the order in which the service lists them.", attributes),
		},
	}
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) diag.Diagnostics {
	config.TracingProjects = []projectModel{}
	for project, err := range provider.In(config.WorkspaceID).ListTracingProjects(ctx, config.NameContains.ValueString()) {
		if err != nil {
			return framework.Failure{Summary: "Cannot list tracing projects"}.Diagnostics(err)
		}
		config.TracingProjects = append(config.TracingProjects, newProjectModel(project))
	}
	return nil
}
