package oauthprovider

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// importer needs no request: the API's key is the provider_id, which people know.
var importer = framework.Importer{
	TypeName: "agentplane_oauth_provider", Noun: "OAuth provider", Example: "google",
	Key: "provider_id", KeyDescription: "What agents call the provider.",
	Parse: parseImportID,
}

// IdentitySchema implements resource.ResourceWithIdentity.
func (r *oauthProviderResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = importer.IdentitySchema()
}

// ImportState implements resource.ResourceWithImportState: by identity, or by a string.
func (r *oauthProviderResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	importer.Import(ctx, &r.ProviderData, req, resp)
}

// parseImportID reads PROVIDER_ID or WORKSPACE_ID/PROVIDER_ID.
func parseImportID(text string) (framework.ImportID, error) {
	workspaceID, providerID, qualified := strings.Cut(text, "/")
	if !qualified {
		workspaceID, providerID = "", text
	}
	if qualified && uuid.Validate(workspaceID) != nil || !providerIDForm.MatchString(providerID) {
		return framework.ImportID{}, fmt.Errorf("%q is none of: PROVIDER_ID, WORKSPACE_ID/PROVIDER_ID, where WORKSPACE_ID is a UUID", text)
	}
	return framework.ImportID{WorkspaceID: workspaceID, ID: providerID}, nil
}
