package tracingproject

import (
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
}

// newModel is the project as the service answers it to the configuration.
func newModel(config model, project api.TracingProject) model {
	return model{
		WorkspaceID:        config.WorkspaceID,
		ID:                 types.StringValue(project.ID),
		Name:               types.StringValue(project.Name),
		DeploymentID:       config.DeploymentID,
		Description:        framework.String(project.Description),
		StartTime:          framework.StringOrNull(project.StartTime),
		EndTime:            framework.String(project.EndTime),
		ReferenceDatasetID: framework.String(project.ReferenceDatasetID),
	}
}
