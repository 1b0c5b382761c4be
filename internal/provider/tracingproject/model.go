package tracingproject

import (
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// model is one tracing project, and what it was looked up by.
type model struct {
	projectModel
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	DeploymentID types.String `tfsdk:"deployment_id"`

	StatisticsWindow    timetypes.GoDuration `tfsdk:"statistics_window"`
	StatisticsStartTime types.String         `tfsdk:"statistics_start_time"`
	StatisticsEndTime   types.String         `tfsdk:"statistics_end_time"`
	Statistics          types.Object         `tfsdk:"statistics"`
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
