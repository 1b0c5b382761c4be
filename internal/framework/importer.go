package framework

import (
	"cmp"
	"context"
	"fmt"
	"strings"

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
		return found, importError("Invalid import ID", "%s.%s For example: `terraform import %s.example %s`.", err, what, i.TypeName, i.Example)
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
	noun := strings.ToUpper(i.Noun[:1]) + i.Noun[1:]
	switch {
	case err != nil:
		return types.StringNull(), Failure{Summary: fmt.Sprintf("Cannot look up %s %q", i.Noun, name)}.Diagnostics(err)
	case len(ids) == 0:
		return types.StringNull(), importError(noun+" not found", "No %s of the workspace has the %s %q. Check it and workspace_id, or "+
			"import by ID.%s", i.Noun, attribute, name, i.Hint)
	case len(ids) > 1:
		return types.StringNull(), importError(noun+" is ambiguous", "%d %ss of the workspace have the %s %q. Import one of them by its "+
			"ID: %s.", len(ids), i.Noun, attribute, name, strings.Join(ids, ", "))
	}
	return types.StringValue(ids[0]), nil
}

func importError(summary, format string, args ...any) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, fmt.Sprintf(format, args...))}
}
