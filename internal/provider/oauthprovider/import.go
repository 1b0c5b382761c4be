package oauthprovider

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// importer needs no request: the API identifies providers by the provider_id, which users know.
var importer = framework.Importer{
	TypeName: "agentplane_oauth_provider", Noun: "OAuth provider", Example: "google",
	Key: "provider_id", KeyDescription: "Identifier by which agents refer to the provider.",
	Parse: parseImportID,
}

// parseImportID reads PROVIDER_ID or WORKSPACE_ID/PROVIDER_ID. It returns the workspace in the service's spelling; another one would
// show as a change that replaces the provider.
func parseImportID(text string) (framework.ImportID, error) {
	var parsed framework.ImportID
	providerID := text
	if workspaceID, rest, qualified := strings.Cut(text, "/"); qualified {
		id, err := uuid.Parse(workspaceID)
		if err != nil {
			return framework.ImportID{}, invalidImportID(text)
		}
		parsed.WorkspaceID, providerID = id.String(), rest
	}
	if !api.ProviderIDForm.MatchString(providerID) {
		return framework.ImportID{}, invalidImportID(text)
	}
	parsed.ID = providerID
	return parsed, nil
}

func invalidImportID(text string) error {
	return fmt.Errorf("%q is neither PROVIDER_ID nor WORKSPACE_ID/PROVIDER_ID, where WORKSPACE_ID is a UUID", text)
}
