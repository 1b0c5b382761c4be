package deployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

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
