package framework

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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

// StoreImported stores what identifies an imported object, a model, in its state and as its resource identity.
func StoreImported(ctx context.Context, resp *resource.ImportStateResponse, identity any) {
	from := reflect.ValueOf(identity)
	for _, f := range fieldsOf(from) {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(f.name), from.FieldByIndex(f.index).Interface())...)
	}
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
	}
}

// namePrefix precedes names, which may have slashes.
const namePrefix = "name:"

// ParseImportID parses ID, WORKSPACE_ID/ID, name:NAME or WORKSPACE_ID/name:NAME, where IDs are UUIDs. It returns them in the
// service's spelling; otherwise the imported object would seem to be a different one.
func ParseImportID(text string) (ImportID, error) {
	var parsed ImportID
	rest := text
	if workspaceID, after, qualified := strings.Cut(text, "/"); qualified && !strings.HasPrefix(text, namePrefix) {
		id, err := uuid.Parse(workspaceID)
		if err != nil {
			return ImportID{}, invalidImportID(text)
		}
		parsed.WorkspaceID, rest = id.String(), after
	}
	if name, byName := strings.CutPrefix(rest, namePrefix); byName && name != "" {
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

// CheckIdentity refuses a resource identity whose workspace_id is not a UUID, or whose other attribute has an ID that parse doesn't
// accept.
func CheckIdentity(workspaceID types.String, attribute, id string, parse func(string) (ImportID, error)) diag.Diagnostics {
	var diags diag.Diagnostics
	if _, err := uuid.Parse(workspaceID.ValueString()); !workspaceID.IsNull() && err != nil {
		diags.AddError("Invalid identity", fmt.Sprintf("workspace_id is %q, which is not a UUID. Omit it for the provider's workspace.",
			workspaceID.ValueString()))
	}
	if parsed, err := parse(id); err != nil || parsed.WorkspaceID != "" || parsed.Name != "" {
		diags.AddError("Invalid identity", fmt.Sprintf("%s is %q, which is not the ID of an object. An identity has no other forms: use "+
			"id in the import block in place of identity.", attribute, id))
	}
	return diags
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
