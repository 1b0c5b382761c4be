package oauthprovider

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// importer needs no request: the API identifies providers by the provider_id, which users know.
var importer = framework.Importer{
	TypeName: "agentplane_oauth_provider", Noun: "OAuth provider", Example: "google",
	Key: "provider_id", KeyDescription: "Identifier by which agents refer to the provider.",
	Parse: parseImportID,
}

// parseImportID reads PROVIDER_ID or WORKSPACE_ID/PROVIDER_ID.
func parseImportID(text string) (framework.ImportID, error) {
	workspaceID, providerID, qualified := strings.Cut(text, "/")
	if !qualified {
		workspaceID, providerID = "", text
	}
	if qualified && uuid.Validate(workspaceID) != nil || !providerIDForm.MatchString(providerID) {
		return framework.ImportID{}, fmt.Errorf("%q is neither PROVIDER_ID nor WORKSPACE_ID/PROVIDER_ID, where "+
			"WORKSPACE_ID is a UUID", text)
	}
	return framework.ImportID{WorkspaceID: workspaceID, ID: providerID}, nil
}
