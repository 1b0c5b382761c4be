package lookup

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// ProjectReference refers to a tracing project by one of its fields, each of which has the path of the same name.
type ProjectReference struct {
	ID, Name, DeploymentID types.String
	// NamePath is the path of Name.
	NamePath path.Path
}

// Find returns the project.
func (r ProjectReference) Find(ctx context.Context, c *client.Client) (*api.TracingProject, diag.Diagnostics) {
	cannot := framework.Failure{Summary: "Cannot read tracing project"}
	switch {
	case !r.ID.IsNull():
		project, err := c.GetTracingProject(ctx, r.ID.ValueString())
		if err != nil {
			return nil, cannot.Diagnostics(err)
		}
		return project, nil
	case !r.Name.IsNull():
		return projectNamed(ctx, c, r.NamePath, r.Name.ValueString())
	}
	deployment, err := c.GetDeployment(ctx, r.DeploymentID.ValueString())
	if err != nil {
		cannot.Summary = "Cannot read the deployment of the tracing project"
		return nil, cannot.Diagnostics(err)
	}
	return projectNamed(ctx, c, path.Root("deployment_id"), deployment.Name)
}

// projectNamed returns the project with that name; errors are attached to the attribute at a path.
func projectNamed(ctx context.Context, c *client.Client, because path.Path, name string) (*api.TracingProject, diag.Diagnostics) {
	project, err := c.FindTracingProject(ctx, name)
	switch {
	case client.IsNotFound(err):
		return nil, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(because, "Tracing project not found",
			fmt.Sprintf("No tracing project of this workspace is named %q. One is created with a deployment of that name, and may "+
				"have been deleted since; check workspace_id (AGENTPLANE_WORKSPACE_ID) of the provider, too.", name))}
	case err != nil:
		return nil, framework.Failure{Summary: "Cannot read tracing project"}.Diagnostics(err)
	}
	return project, nil
}
