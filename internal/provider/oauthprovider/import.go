package oauthprovider

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// IdentitySchema implements resource.ResourceWithIdentity.
func (r *oauthProviderResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"workspace_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Workspace of the provider, a UUID. Default: the provider configuration's.",
		},
		"provider_id": identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "What agents call the provider.",
		},
	}}
}

// ImportState implements resource.ResourceWithImportState: by identity, or by a string.
func (r *oauthProviderResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var found identityModel
	var diags diag.Diagnostics
	if !framework.IsImportByIdentity(req) {
		found, diags = parseImportID(req.ID)
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
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("provider_id"), found.ProviderID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("workspace_id"), found.WorkspaceID)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, found)...)
	}
}

// parseImportID reads PROVIDER_ID or WORKSPACE_ID/PROVIDER_ID.
func parseImportID(text string) (identityModel, diag.Diagnostics) {
	workspaceID, providerID, qualified := strings.Cut(text, "/")
	if !qualified {
		workspaceID, providerID = "", text
	}
	if qualified && uuid.Validate(workspaceID) != nil || !providerIDForm.MatchString(providerID) {
		return identityModel{}, diag.Diagnostics{diag.NewErrorDiagnostic("Invalid import ID",
			fmt.Sprintf("%q is none of: PROVIDER_ID, WORKSPACE_ID/PROVIDER_ID, where WORKSPACE_ID is a UUID. For example: "+
				"`terraform import agentplane_oauth_provider.example google`.", text))}
	}
	return identityModel{WorkspaceID: framework.StringOrNull(workspaceID), ProviderID: types.StringValue(providerID)}, nil
}
