package oauthprovider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// whole is everything but a secret, made elsewhere and as arguments.
var whole = map[string]any{
	"uses_pkce": true, "provider_type": "slack", "token_endpoint_auth_method": "client_secret_basic",
	"authorization_params": map[string]any{"prompt": "consent"}, "allowed_redirect_uris": []any{"app://back"},
}

func wholeArgs() args {
	return args{
		"uses_pkce": config.BoolVariable(true), "provider_type": text("slack"), "token_endpoint_auth_method": text("client_secret_basic"),
		"authorization_params":  config.MapVariable(map[string]config.Variable{"prompt": text("consent")}),
		"allowed_redirect_uris": config.ListVariable(text("app://back")),
	}
}

// importing imports into the state that the steps after it go on with.
func importing(more args, id string) resource.TestStep {
	s := step(more)
	s.ResourceName, s.ImportState, s.ImportStatePersist, s.ImportStateId = address, true, true, id
	return s
}

// TestAccOAuthProvider_import imports what another user has created, and expects the next plan to be empty.
func TestAccOAuthProvider_import(t *testing.T) {
	t.Parallel()
	for form, id := range map[string]string{"provider_id": slug, "workspace and provider_id": providertest.WorkspaceID + "/" + slug} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			w := newWrites(plane)
			made(plane, slug, whole)
			_ = w.Expect()(nil)
			same := planned(step(wholeArgs()), plancheck.ExpectEmptyPlan())
			same.Check = w.Expect()
			run(t, plane, importing(wholeArgs(), id), same)
		})
	}
}

// TestAccOAuthProvider_importSecret sends the secret of the configuration once: nobody knows which one the service has.
func TestAccOAuthProvider_importSecret(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	made(plane, slug, nil)
	_ = w.Expect()(nil)
	arguments := args{"client_secret": text("the-secret")}
	sends := planned(step(arguments), action(plancheck.ResourceActionUpdate))
	sends.Check = w.Expect(secretSent)
	run(t, plane, importing(arguments, slug), sends)
}

// TestAccOAuthProvider_importRefused tells every mistake with what to do.
func TestAccOAuthProvider_importRefused(t *testing.T) {
	t.Parallel()
	for id, says := range map[string]string{
		"a b":                            `"a b" is neither PROVIDER_ID nor WORKSPACE_ID/PROVIDER_ID`,
		"default/calendar":               `"default/calendar" is neither`,
		providertest.WorkspaceID + "/":   `is neither`,
		providertest.WorkspaceID + "/a/": `is neither`,
		"nobody":                         `Cannot import non-existent remote object`,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			fails := importing(nil, id)
			fails.ExpectError = providertest.Words(says)
			run(t, providertest.NewDev(t), fails)
		})
	}
}

// TestAccOAuthProvider_importVerify compares an import with what was created, and imports by block.
func TestAccOAuthProvider_importVerify(t *testing.T) {
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

// TestAccOAuthProvider_importIdentity_next imports by a block with an identity.
func TestAccOAuthProvider_importIdentity_next(t *testing.T) {
	t.Parallel()
	verifyImport(t, resource.ImportBlockWithResourceIdentity,
		providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_12_0))...)
}

func verifyImport(t *testing.T, kind resource.ImportStateKind, versions ...tfversion.TerraformVersionCheck) {
	t.Helper()
	plane := providertest.NewDev(t)
	imported := step(wholeArgs())
	imported.ResourceName, imported.ImportState, imported.ImportStateKind = address, true, kind
	if kind == resource.ImportCommandWithID {
		imported.ImportStateVerify, imported.ImportStateVerifyIdentifierAttribute = true, "provider_id"
	}
	if kind != resource.ImportBlockWithResourceIdentity {
		imported.ImportStateId = slug
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		TerraformVersionChecks: append(versions, writeOnly...),
		Steps:                  []resource.TestStep{step(wholeArgs()), imported},
	})
}

// TestAccOAuthProvider_importIdentityCalls imports by identity without a CLI, as newer ones do, and reads the import back.
func TestAccOAuthProvider_importIdentityCalls(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made(plane, slug, nil)
	rpc := plane.RPC()
	want := map[string]string{"workspace_id": providertest.WorkspaceID, "provider_id": slug}
	for name, given := range map[string]map[string]any{
		"provider_id": {"provider_id": slug}, "both": {"provider_id": slug, "workspace_id": providertest.WorkspaceID},
	} {
		t.Run(name, func(t *testing.T) {
			imported, err := rpc.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
				TypeName: typeName, Identity: &tfprotov6.ResourceIdentityData{IdentityData: rpc.Value(given)},
			})
			rpc.OK(err, imported.Diagnostics)
			found := imported.ImportedResources[0]
			if diff := cmp.Diff(want, rpc.Identity(found.Identity, "workspace_id", "provider_id")); diff != "" {
				t.Errorf("the import (-want +got):\n%s", diff)
			}
			read, err := rpc.Server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
				TypeName: typeName, CurrentState: found.State, Private: found.Private, CurrentIdentity: found.Identity,
			})
			rpc.OK(err, read.Diagnostics)
			if diff := cmp.Diff(want, rpc.Identity(read.NewIdentity, "workspace_id", "provider_id")); diff != "" {
				t.Errorf("the refresh (-want +got):\n%s", diff)
			}
			var got string
			state := rpc.Attributes(read.NewState, rpc.Schema.ResourceSchemas[typeName].ValueType())
			if err := state["name"].As(&got); err != nil || got != "Calendar" {
				t.Errorf("imported %q, %v", got, err)
			}
		})
	}
}

// TestAccOAuthProvider_otherWorkspace manages and imports what is in a workspace that is not the provider's.
func TestAccOAuthProvider_otherWorkspace(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, twoWorkspaces)
	there := plane.In(otherWorkspace)
	made(there, slug, nil)
	arguments := args{"workspace_id": text(otherWorkspace)}
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(there),
		Steps: []resource.TestStep{
			importing(arguments, otherWorkspace+"/"+slug), planned(step(arguments), plancheck.ExpectEmptyPlan()),
		},
	})
}
