package modelprice_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// wholeBody is the entry of whole as another user would make it.
var wholeBody = map[string]any{
	"name": "Large", "match_pattern": `^large-\d+$`, "match_path": []string{"endpoint_name", "model"}, "provider": "example",
	"start_time": "2026-06-01T00:00:00Z", "prompt_token_threshold": 200000, "prompt_cost": "0.00000250", "completion_cost": 0.0,
	"prompt_cost_details":     map[string]any{"cache_read": 1e-6, "audio": "1e-5"},
	"completion_cost_details": map[string]any{"reasoning": 4e-6},
}

// importing imports into the state that the steps after it go on with.
func importing(more args, id string) resource.TestStep {
	s := step(more)
	s.ResourceName, s.ImportState, s.ImportStatePersist, s.ImportStateId = address, true, true, id
	return s
}

// TestAccModelPrice_import imports what another user has created, in every form, and expects the next plan to be empty.
func TestAccModelPrice_import(t *testing.T) {
	t.Parallel()
	for form, id := range map[string]func(id string) string{
		"id":                 func(id string) string { return id },
		"workspace and id":   func(id string) string { return providertest.WorkspaceID + "/" + id },
		"name":               func(string) string { return "name:Large" },
		"workspace and name": func(string) string { return providertest.WorkspaceID + "/name:Large" },
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			w := newWrites(plane)
			theirs := made(plane, wholeBody)
			_ = w.Expect()(nil)
			same := planned(step(whole), plancheck.ExpectEmptyPlan())
			same.Check = w.Expect()
			run(t, plane, importing(whole, id(theirs.ID)), same)
		})
	}
}

// TestAccModelPrice_importRefused tells every mistake with what to do.
func TestAccModelPrice_importRefused(t *testing.T) {
	t.Parallel()
	for id, says := range map[string]string{
		"example-large":                `"example-large" is not an import ID: use ID, WORKSPACE_ID/ID, name:NAME`,
		"default/name:a":               `"default/name:a" is not an import ID`,
		otherWorkspace:                 "Cannot import non-existent remote object",
		"name:nobody":                  `No model price of the workspace has the name "nobody"`,
		"name:twice":                   `2 model prices of the workspace have the name "twice". Import one of them by its ID: `,
		otherWorkspace + "/name:twice": "Status: 403",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			for _, pattern := range []string{"^a$", "^b$"} {
				made(plane, map[string]any{"name": "twice", "match_pattern": pattern})
			}
			fails := importing(nil, id)
			fails.ExpectError = providertest.Words(says)
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{fails}})
		})
	}
}

// TestAccModelPrice_importOfTheService refuses an entry that belongs to no workspace, and says what to do instead.
func TestAccModelPrice_importOfTheService(t *testing.T) {
	t.Parallel()
	const id = "5b5f29a5-8f24-4b0f-9a52-0c2b3f0f3a11"
	service := http.NewServeMux()
	service.HandleFunc(listing, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"id": "` + id + `", "tenant_id": null, "name": "Large", "match_pattern": "^large$", "match_path": ["model"],
			"provider": null, "start_time": null, "prompt_cost": 1e-6, "completion_cost": 1e-6, "prompt_cost_details": null,
			"completion_cost_details": null}]`))
	})
	for form, test := range map[string]struct{ id, says string }{
		"id":   {id, `is built in and can't be changed. Create your own entry instead, with match_pattern "^large$"`},
		"name": {"name:Large", "Built-in entries can't be managed."},
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewFrom(t, api.Neutral, service)
			fails := importing(nil, test.id)
			fails.ExpectError = providertest.Words(test.says)
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{fails}})
		})
	}
}

// TestAccModelPrice_importVerify compares an import with what was created, and imports by block.
func TestAccModelPrice_importVerify(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]resource.ImportStateKind{
		"command": resource.ImportCommandWithID,
		"block":   resource.ImportBlockWithID,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verifyImport(t, kind)
		})
	}
}

// TestAccModelPrice_importIdentity_next imports by a block with an identity.
func TestAccModelPrice_importIdentity_next(t *testing.T) {
	t.Parallel()
	verifyImport(t, resource.ImportBlockWithResourceIdentity,
		providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_12_0))...)
}

func verifyImport(t *testing.T, kind resource.ImportStateKind, versions ...tfversion.TerraformVersionCheck) {
	t.Helper()
	plane := providertest.NewDev(t)
	imported := step(nil)
	imported.ResourceName, imported.ImportState, imported.ImportStateKind = address, true, kind
	if kind == resource.ImportCommandWithID {
		imported.ImportStateVerify = true
		// The service's own spelling: nobody has told another yet.
		imported.ImportStateVerifyIgnore = []string{"completion_cost"}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), TerraformVersionChecks: versions,
		Steps: []resource.TestStep{step(nil), imported},
	})
}

// TestAccModelPrice_importIdentityCalls imports by identity without a CLI, as newer ones do, and reads the import back. All
// that one process reads comes from one list.
func TestAccModelPrice_importIdentityCalls(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	theirs := made(plane, nil)
	rpc := plane.RPC()
	want := map[string]string{"workspace_id": providertest.WorkspaceID, "id": theirs.ID}
	for name, given := range map[string]map[string]any{
		"id": {"id": theirs.ID}, "both": {"id": theirs.ID, "workspace_id": providertest.WorkspaceID},
	} {
		t.Run(name, func(t *testing.T) {
			imported, err := rpc.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
				TypeName: typeName, Identity: &tfprotov6.ResourceIdentityData{IdentityData: rpc.Value(given)},
			})
			rpc.OK(err, imported.Diagnostics)
			found := imported.ImportedResources[0]
			if diff := cmp.Diff(want, rpc.Identity(found.Identity, "workspace_id", "id")); diff != "" {
				t.Errorf("the import (-want +got):\n%s", diff)
			}
			read, err := rpc.Server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
				TypeName: typeName, CurrentState: found.State, Private: found.Private, CurrentIdentity: found.Identity,
			})
			rpc.OK(err, read.Diagnostics)
			if diff := cmp.Diff(want, rpc.Identity(read.NewIdentity, "workspace_id", "id")); diff != "" {
				t.Errorf("the refresh (-want +got):\n%s", diff)
			}
			var got string
			state := rpc.Attributes(read.NewState, rpc.Schema.ResourceSchemas[typeName].ValueType())
			if err := state["name"].As(&got); err != nil || got != "example-large" {
				t.Errorf("imported %q, %v", got, err)
			}
		})
	}
	if lists := plane.Requests(http.MethodGet, collection); len(lists) != 1 {
		t.Errorf("%d lists were read, want one for all", len(lists))
	}
}

// TestAccModelPrice_otherWorkspace manages and imports what is in a workspace that is not the provider's.
func TestAccModelPrice_otherWorkspace(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, twoWorkspaces)
	there := plane.In(otherWorkspace)
	theirs := made(there, nil)
	arguments := args{"workspace_id": text(otherWorkspace)}
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(there),
		Steps: []resource.TestStep{
			importing(arguments, otherWorkspace+"/"+theirs.ID), planned(step(arguments), plancheck.ExpectEmptyPlan()),
		},
	})
}
