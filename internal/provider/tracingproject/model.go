package tracingproject

import (
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// model is one tracing project, and what it was looked up by.
type model struct {
	WorkspaceID        types.String `tfsdk:"workspace_id"`
	ID                 types.String `tfsdk:"id"`
	Name               types.String `tfsdk:"name"`
	DeploymentID       types.String `tfsdk:"deployment_id"`
	Description        types.String `tfsdk:"description"`
	StartTime          types.String `tfsdk:"start_time"`
	EndTime            types.String `tfsdk:"end_time"`
	ReferenceDatasetID types.String `tfsdk:"reference_dataset_id"`

	StatisticsWindow    timetypes.GoDuration `tfsdk:"statistics_window"`
	StatisticsStartTime types.String         `tfsdk:"statistics_start_time"`
	StatisticsEndTime   types.String         `tfsdk:"statistics_end_time"`
	Statistics          types.Object         `tfsdk:"statistics"`
}

// newModel is the project as the service answers it to the configuration.
func newModel(config model, project api.TracingProject, statistics types.Object) model {
	m := config
	m.ID = types.StringValue(project.ID)
	m.Name = types.StringValue(project.Name)
	m.Description = framework.String(project.Description)
	m.StartTime = framework.StringOrNull(project.StartTime)
	m.EndTime = framework.String(project.EndTime)
	m.ReferenceDatasetID = framework.String(project.ReferenceDatasetID)
	m.Statistics = statistics
	return m
}
