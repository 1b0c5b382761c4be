package tracingproject

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// attributes are those of one tracing project, with the three that it can be looked up by.
func attributes() map[string]schema.Attribute {
	all := projectAttributes()
	maps.Copy(all, map[string]schema.Attribute{
		"id": framework.DataKey("ID of the tracing project, a UUID. Exactly one of `id`, `name` and `deployment_id` is set.",
			framework.UUID(), framework.ExactlyOneOf("id", "name", "deployment_id")),
		"name": framework.DataKey("Exact name of the tracing project, unique in the workspace. Exactly one of `id`, `name` and "+
			"`deployment_id` is set.", stringvalidator.LengthAtLeast(1)),
		"deployment_id": framework.DataFilter("ID of the deployment whose traces the project collects, a UUID: the project that has the "+
			"deployment's name. Exactly one of `id`, `name` and `deployment_id` is set.", framework.UUID()),
	})
	maps.Copy(all, windowAttributes())
	return all
}

// projectAttributes are read from the service, whatever a project was looked up by.
func projectAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"description": framework.DataString("Description of the tracing project; null if it has none."),
		"start_time":  framework.DataString("When the tracing project was created (RFC 3339)."),
		"end_time":    framework.DataString("When the tracing project was closed (RFC 3339); null while it is open."),
		"reference_dataset_id": framework.DataString("ID of the dataset that the tracing project evaluates; null for the project of a " +
			"deployment."),
	}
}

// model is one tracing project, and what it was looked up by.
type model struct {
	projectModel
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	DeploymentID types.String `tfsdk:"deployment_id"`

	StatisticsWindow            timetypes.GoDuration `tfsdk:"statistics_window"`
	StatisticsStartTime         types.String         `tfsdk:"statistics_start_time"`
	StatisticsEndTime           types.String         `tfsdk:"statistics_end_time"`
	StatisticsExcludeInterrupts types.Bool           `tfsdk:"statistics_exclude_interrupts"`
	Statistics                  types.Object         `tfsdk:"statistics"`
}

// projectModel is what the service returns of a tracing project.
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
