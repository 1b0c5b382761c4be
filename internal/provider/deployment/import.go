package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// IdentitySchema implements resource.ResourceWithIdentity.
func (r *deploymentResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"workspace_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Workspace of the deployment, a UUID. Default: the provider's.",
		},
		"id": identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "ID of the deployment, a UUID.",
		},
	}}
}

// ImportState implements resource.ResourceWithImportState: by identity, or by a string.
func (r *deploymentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var found identityModel
	var diags diag.Diagnostics
	if !framework.IsImportByIdentity(req) {
		found, diags = r.importByString(ctx, req.ID)
	} else {
		diags = req.Identity.Get(ctx, &found)
	}
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if found.WorkspaceID.IsNull() && r.Client != nil {
		found.WorkspaceID = framework.StringOrNull(r.Client.WorkspaceID())
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("workspace_id"), found.WorkspaceID)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, found)...)
	}
}

// importByString finds what ID, WORKSPACE/ID, name:NAME or WORKSPACE/name:NAME stand for.
func (r *deploymentResource) importByString(ctx context.Context, text string) (identityModel, diag.Diagnostics) {
	parsed, err := framework.ParseImportID(text)
	if err != nil {
		return identityModel{}, diag.Diagnostics{diag.NewErrorDiagnostic("Invalid import ID",
			fmt.Sprintf("%s. For example: `terraform import agentplane_deployment.example name:chat`.", err))}
	}
	found := identityModel{WorkspaceID: framework.StringOrNull(parsed.WorkspaceID), ID: framework.StringOrNull(parsed.ID)}
	if parsed.Name == "" {
		return found, nil
	}
	diags := r.Configured()
	if diags.HasError() {
		return found, diags
	}
	deployments, err := client.Collect(r.In(found.WorkspaceID).ListDeployments(ctx, client.DeploymentFilter{Name: parsed.Name}))
	if err != nil {
		return found, framework.Failure{Summary: fmt.Sprintf("Cannot look up deployment %q", parsed.Name)}.Diagnostics(err)
	}
	if len(deployments) != 1 {
		return found, diag.Diagnostics{diag.NewErrorDiagnostic("Deployment not found",
			fmt.Sprintf("%d deployments of the workspace are named %q. Check the name and workspace_id, or import by ID.",
				len(deployments), parsed.Name))}
	}
	found.ID = types.StringValue(deployments[0].ID)
	return found, nil
}
