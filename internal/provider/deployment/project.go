package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// deleteOptions says what is deleted with the deployment: its tracing project, if that is configured or if the deployment
// never served, so that the unused project doesn't reserve the name.
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
		return nil, diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("delete_tracing_project"), "Tracing project is kept",
			fmt.Sprintf("Deployment %q never had an active revision, so its tracing project is deleted with it if it has "+
				"no runs, but checking that failed: %s. The project is kept and reserves the name. If it isn't needed, "+
				"delete it in the service.", state.Name.ValueString(), err))}
	case unused:
		return along, nil
	}
	return nil, nil
}

// unusedProject reports whether a deployment has never had an active revision and has a tracing project without runs that was
// created with it. The service is asked, because the first revision may have become active since the state was written.
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

// projectOf returns the tracing project of a deployment. Not every installation reports its ID, but where a project
// reserves its name, the project of that name can't be older than the deployment.
func projectOf(ctx context.Context, c *client.Client, deployment api.Deployment) (*api.TracingProject, error) {
	if deployment.TracerSessionID != nil {
		return c.GetTracingProject(ctx, *deployment.TracerSessionID)
	}
	return c.FindTracingProject(ctx, deployment.Name)
}
