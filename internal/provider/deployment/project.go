package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// deleteOptions say what goes with the deployment: its tracing project if that is configured, or if the project would only
// keep the name of a deployment that never served from being used again.
func (r *deploymentResource) deleteOptions(ctx context.Context, state model) ([]client.DeleteOption, diag.Diagnostics) {
	along := []client.DeleteOption{client.WithTracingProject()}
	if state.DeleteTracingProject.ValueBool() {
		return along, nil
	}
	if !r.dialect().ProjectsBlockNames || !state.ActiveRevisionID.IsNull() {
		return nil, nil
	}
	unused, err := unusedProject(ctx, r.In(state.WorkspaceID), state.ID.ValueString())
	switch {
	case err != nil:
		return nil, diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("delete_tracing_project"), "Tracing project is left behind",
			fmt.Sprintf("Deployment %q never served, so its tracing project would have been deleted with it if it held no runs, but "+
				"that could not be checked: %s. The project keeps the name from being used again. If it isn't needed, delete it at "+
				"the service.", state.Name.ValueString(), err))}
	case unused:
		return along, nil
	}
	return nil, nil
}

// unusedProject says whether a deployment has a tracing project that was created with it and that holds no runs, and has never
// had an active revision: its first one may have become active since the state was written.
func unusedProject(ctx context.Context, c *client.Client, id string) (bool, error) {
	deployment, err := c.GetDeployment(ctx, id)
	if client.IsNotFound(err) || err == nil && (deployment.ActiveRevisionID != nil || deployment.Status.BeingDeleted()) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	project, err := projectOf(ctx, c, *deployment)
	if client.IsNotFound(err) || err == nil && project.Name != deployment.Name {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	runs, err := c.QueryRuns(ctx, api.RunQuery{ProjectIDs: []string{project.ID}, MinStartTime: "1970-01-01T00:00:00Z"}, 1)
	return err == nil && len(runs) == 0, err
}

// projectOf is the tracing project of a deployment. Not every installation tells its ID, but where a project blocks the name,
// the one of that name can't be older than the deployment.
func projectOf(ctx context.Context, c *client.Client, deployment api.Deployment) (*api.TracingProject, error) {
	if deployment.TracerSessionID != nil {
		return c.GetTracingProject(ctx, *deployment.TracerSessionID)
	}
	return c.FindTracingProject(ctx, deployment.Name)
}
