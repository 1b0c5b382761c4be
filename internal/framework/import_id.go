package framework

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ImportID is a parsed import ID: an object by its ID or by its name, and optionally its workspace.
type ImportID struct {
	// WorkspaceID is empty for the provider's workspace.
	WorkspaceID string
	// ID and Name: exactly one is set.
	ID, Name string
}

// IsImportByIdentity reports whether an import uses a resource identity instead of an import ID.
func IsImportByIdentity(req resource.ImportStateRequest) bool {
	return req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsFullyNull()
}

// ParseImportID parses ID, WORKSPACE_ID/ID, name:NAME or WORKSPACE_ID/name:NAME, where IDs are UUIDs. It returns them in the
// service's spelling; otherwise the imported object would seem to be a different one.
func ParseImportID(text string) (ImportID, error) {
	var parsed ImportID
	rest := text
	if workspaceID, after, qualified := strings.Cut(text, "/"); qualified {
		id, err := uuid.Parse(workspaceID)
		if err != nil {
			return ImportID{}, invalidImportID(text)
		}
		parsed.WorkspaceID, rest = id.String(), after
	}
	if name, byName := strings.CutPrefix(rest, "name:"); byName && name != "" {
		parsed.Name = name
		return parsed, nil
	}
	id, err := uuid.Parse(rest)
	if err != nil {
		return ImportID{}, invalidImportID(text)
	}
	parsed.ID = id.String()
	return parsed, nil
}

// CanonicalID returns a UUID in the service's spelling, and anything else as it is, which the service will refuse.
func CanonicalID(id types.String) types.String {
	if parsed, err := uuid.Parse(id.ValueString()); err == nil {
		return types.StringValue(parsed.String())
	}
	return id
}

func invalidImportID(text string) error {
	return fmt.Errorf("%q is not an import ID: use ID, WORKSPACE_ID/ID, name:NAME or WORKSPACE_ID/name:NAME, where IDs "+
		"are UUIDs", text)
}
