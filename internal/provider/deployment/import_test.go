package deployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func TestImportByString(t *testing.T) {
	t.Parallel()
	const workspace = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	p := newPlane(t)
	chat := p.create(t, "chat")
	p.create(t, "chat-2")
	for text, want := range map[string]struct {
		workspace, id types.String
		diags         []string
		says          string
	}{
		chat.ID:                   {types.StringNull(), text(chat.ID), nil, ""},
		workspace + "/" + chat.ID: {text(workspace), text(chat.ID), nil, ""},
		"name:chat":               {types.StringNull(), text(chat.ID), nil, ""},
		devserver.DefaultWorkspaceID + "/name:chat": {text(devserver.DefaultWorkspaceID), text(chat.ID), nil, ""},
		workspace + "/name:chat":                    {text(workspace), types.StringNull(), []string{"error: Deployment not found"}, `No deployment of the workspace has the name "chat"`},
		"name:cha":                                  {types.StringNull(), types.StringNull(), []string{"error: Deployment not found"}, "import by ID"},
		"chat":                                      {types.StringNull(), types.StringNull(), []string{"error: Invalid import ID"}, "name:chat"},
		"name:":                                     {types.StringNull(), types.StringNull(), []string{"error: Invalid import ID"}, "WORKSPACE_ID/ID"},
		"a/" + chat.ID:                              {types.StringNull(), types.StringNull(), []string{"error: Invalid import ID"}, "UUIDs"},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			found, diags := importer.Find(t.Context(), p.provider(), resource.ImportStateRequest{ID: text})
			if diff := cmp.Diff(want.diags, frameworktest.Lines(diags)); diff != "" {
				t.Fatal(diff)
			}
			if diags != nil {
				wantText(t, diags[0].Detail(), want.says)
				return
			}
			if !found.ID.Equal(want.id) || !found.WorkspaceID.Equal(want.workspace) {
				t.Errorf("id = %s, workspace_id = %s; want %s, %s", found.ID, found.WorkspaceID, want.id, want.workspace)
			}
		})
	}
}

func TestImportByNameNeedsTheService(t *testing.T) {
	t.Parallel()
	byName := resource.ImportStateRequest{ID: "name:chat"}
	_, diags := importer.Find(t.Context(), &framework.ProviderData{}, byName)
	if diff := cmp.Diff([]string{"error: Provider configuration not known yet"}, frameworktest.Lines(diags)); diff != "" {
		t.Error(diff)
	}
	p := newPlane(t)
	p.arm(t, devserver.Fault{Match: listing, Status: 403, Detail: "Not yours."})
	_, diags = importer.Find(t.Context(), p.provider(), byName)
	if diff := cmp.Diff([]string{`error: Cannot look up deployment "chat"`}, frameworktest.Lines(diags)); diff != "" {
		t.Fatal(diff)
	}
	wantText(t, diags[0].Detail(), "Not yours.", "workspace_id")
}
