package framework

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"reflect"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Identity is the resource identity of an object that has an ID in a workspace.
type Identity struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ID          types.String `tfsdk:"id"`
}

// Importer imports the objects of a resource by identity or by import ID.
type Importer struct {
	// TypeName is the name of the resource, Noun the word for an object in messages, and Example an import ID:
	// agentplane_listener, "listener" and "name:dev-cluster".
	TypeName, Noun, Example string
	// Key is the attribute that identifies an object in its workspace, and KeyDescription its description. Default: id.
	Key, KeyDescription string
	// Name is the attribute that names objects. Default: name.
	Name string
	// IDsByName finds the IDs of the objects with that name.
	IDsByName func(ctx context.Context, p *ProviderData, workspaceID types.String, name string) ([]string, error)
	// Parse replaces ParseImportID.
	Parse func(text string) (ImportID, error)
	// Hint ends the error for a name that no object has.
	Hint string
}

func (i Importer) key() string { return cmp.Or(i.Key, "id") }

// IdentitySchema returns the schema of the resource identity.
func (i Importer) IdentitySchema() identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"workspace_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Workspace of the " + i.Noun + ". Default: the provider's.",
		},
		i.key(): identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       cmp.Or(i.KeyDescription, "ID of the "+i.Noun+", a UUID."),
		},
	}}
}

// Import sets the identifying attributes in state and identity.
func (i Importer) Import(ctx context.Context, p *ProviderData, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	found, diags := i.Find(ctx, p, req)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	found.WorkspaceID = p.KnownWorkspace(found.WorkspaceID)
	key, workspace := path.Root(i.key()), path.Root("workspace_id")
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, key, found.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, workspace, found.WorkspaceID)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, key, found.ID)...)
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, workspace, found.WorkspaceID)...)
	}
}

// Find returns the object that the request names. Its workspace is null if the request has none.
func (i Importer) Find(ctx context.Context, p *ProviderData, req resource.ImportStateRequest) (Identity, diag.Diagnostics) {
	var found Identity
	parse := ParseImportID
	if i.Parse != nil {
		parse = i.Parse
	}
	if IsImportByIdentity(req) {
		diags := req.Identity.GetAttribute(ctx, path.Root(i.key()), &found.ID)
		diags.Append(req.Identity.GetAttribute(ctx, path.Root("workspace_id"), &found.WorkspaceID)...)
		diags.Append(CheckIdentity(found.WorkspaceID, i.key(), found.ID.ValueString(), parse)...)
		found.WorkspaceID = CanonicalID(found.WorkspaceID)
		if i.Parse == nil {
			found.ID = CanonicalID(found.ID)
		}
		return found, diags
	}
	parsed, err := parse(req.ID)
	if err != nil {
		what := ""
		if i.Name != "" {
			what = " The name is the " + i.Name + "."
		}
		return found, NewError("Invalid import ID", "%s.%s For example: `terraform import %s.example %s`.", err, what, i.TypeName, i.Example)
	}
	found = Identity{WorkspaceID: StringOrNull(parsed.WorkspaceID), ID: StringOrNull(parsed.ID)}
	if parsed.Name == "" {
		return found, nil
	}
	if diags := p.Configured(); diags.HasError() {
		return found, diags
	}
	id, diags := i.byName(ctx, p, found.WorkspaceID, parsed.Name)
	found.ID = id
	return found, diags
}

// byName finds the ID of the only object with that name.
func (i Importer) byName(ctx context.Context, p *ProviderData, workspaceID types.String, name string) (types.String, diag.Diagnostics) {
	ids, err := i.IDsByName(ctx, p, workspaceID, name)
	attribute := cmp.Or(i.Name, "name")
	switch {
	case err != nil:
		return types.StringNull(), Failure{Summary: fmt.Sprintf("Cannot look up %s %q", i.Noun, name)}.Diagnostics(err)
	case len(ids) == 0:
		return types.StringNull(), NewError(capital(i.Noun)+" not found", "No %s of the workspace has the %s %q. Check it and workspace_id, or "+
			"import by ID.%s", i.Noun, attribute, name, i.Hint)
	case len(ids) > 1:
		return types.StringNull(), NewError(capital(i.Noun)+" is ambiguous", "%d %ss of the workspace have the %s %q. Import one of them by its "+
			"ID: %s.", len(ids), i.Noun, attribute, name, strings.Join(ids, ", "))
	}
	return types.StringValue(ids[0]), nil
}

// IDs returns the IDs of the objects in a list.
func IDs[T any](list iter.Seq2[T, error], id func(T) string) (ids []string, _ error) {
	for object, err := range list {
		if err != nil {
			return nil, err
		}
		ids = append(ids, id(object))
	}
	return ids, nil
}

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
