package framework

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestParseImportID(t *testing.T) {
	t.Parallel()
	const id, workspace = "4f1c2a9e-8d3b-4b6a-9c57-2e0f6d1a7b38", "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	tests := map[string]ImportID{
		id:                         {ID: id},
		workspace + "/" + id:       {WorkspaceID: workspace, ID: id},
		"name:chat":                {Name: "chat"},
		"name:a/b":                 {Name: "a/b"},
		"name:" + workspace + "/b": {Name: workspace + "/b"},
		workspace + "/name:a/b":    {WorkspaceID: workspace, Name: "a/b"},
		workspace + "/name:chat":   {WorkspaceID: workspace, Name: "chat"},
		"name:name:chat":           {Name: "name:chat"},
		"":                         {},
		"chat":                     {},
		"name:":                    {},
		workspace + "/name:":       {},
		"/" + id:                   {},
		id + "/":                   {},
		"other/" + id:              {},
		workspace + "/" + id + "/": {},
		" " + id:                   {},
		strings.ToUpper(id):        {ID: id},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := ParseImportID(text)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("parsed (-want +got):\n%s", diff)
			}
			if refused := want == (ImportID{}); refused != (err != nil) {
				t.Errorf("error = %v, want one: %t", err, refused)
			}
			if err != nil && !strings.Contains(err.Error(), "WORKSPACE_ID/name:NAME") {
				t.Errorf("error %q doesn't contain the accepted forms", err)
			}
		})
	}
}

// TestFind_identity expects the service's spelling of both IDs in an identity.
func TestFind_identity(t *testing.T) {
	t.Parallel()
	const id, workspace = "4f1c2a9e-8d3b-4b6a-9c57-2e0f6d1a7b38", "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	i := Importer{Noun: "listener"}
	schema := i.IdentitySchema()
	identity := &tfsdk.ResourceIdentity{Schema: schema, Raw: tftypes.NewValue(schema.Type().TerraformType(t.Context()), map[string]tftypes.Value{
		"id": tftypes.NewValue(tftypes.String, strings.ToUpper(id)), "workspace_id": tftypes.NewValue(tftypes.String, strings.ToUpper(workspace)),
	})}
	found, diags := i.Find(t.Context(), nil, resource.ImportStateRequest{Identity: identity})
	if diags.HasError() {
		t.Fatal(diags)
	}
	if diff := cmp.Diff(Identity{WorkspaceID: types.StringValue(workspace), ID: types.StringValue(id)}, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}
