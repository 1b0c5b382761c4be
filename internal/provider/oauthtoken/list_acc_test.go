package oauthtoken_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccOAuthTokenList finds the user's tokens, filtered, without their values.
func TestAccOAuthTokenList(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	plane.Call("POST", "/v2/auth/providers", object{
		"provider_id": "mail", "name": "Mail", "client_id": "c", "auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}, nil)
	id := imported(plane, "canary-of-the-list", 3600, "read")
	plane.Call("POST", "/v2/auth/tokens/import", object{"provider_id": "mail", "access_token": "a"}, nil)
	plane.Call("PATCH", "/v2/auth/tokens/"+id+"/metadata", object{"provider_account_label": "work"}, nil)
	rpc := plane.RPC()
	for name, test := range map[string]struct {
		config object
		want   []string
	}{
		"all":     {object{}, []string{"calendar: work", "mail"}},
		"one":     {object{"provider_id": "calendar"}, []string{"calendar: work"}},
		"nothing": {object{"provider_id": "none"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName, IncludeResource: true}, test.config)
			rpc.OK(nil, diags)
			var names []string
			for _, result := range found {
				names = append(names, result.DisplayName)
				if strings.Contains(string(result.Resource.MsgPack), "canary") {
					t.Error("a token is shown")
				}
			}
			if diff := cmp.Diff(test.want, names); diff != "" {
				t.Errorf("tokens (-want +got):\n%s", diff)
			}
			if name == "one" {
				want := map[string]string{"workspace_id": providertest.WorkspaceID, "id": id}
				if diff := cmp.Diff(want, rpc.Identity(found[0].Identity, "workspace_id", "id")); diff != "" {
					t.Errorf("identity (-want +got):\n%s", diff)
				}
			}
		})
	}
	plane.Arm(devserver.Fault{Match: listing, Status: 403, Detail: "No access"})()
	_, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName}, object{})
	if told := providertest.Told(diags); !strings.Contains(told, "Cannot list OAuth tokens") || !strings.Contains(told, "No access") {
		t.Errorf("diagnostics %s", told)
	}
}

// TestAccOAuthToken_identity imports by identity without a CLI, as newer ones do, and refuses what isn't one.
func TestAccOAuthToken_identity(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	id := imported(plane, "theirs", 3600)
	rpc := plane.RPC()
	for name, test := range map[string]struct {
		identity object
		want     string
	}{
		"id":           {object{"id": strings.ToUpper(id)}, ""},
		"both":         {object{"id": id, "workspace_id": providertest.WorkspaceID}, ""},
		"a name":       {object{"id": "name:work"}, "which is not the ID of an object"},
		"no workspace": {object{"id": id, "workspace_id": ""}, "which is not a UUID"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := rpc.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
				TypeName: typeName, Identity: &tfprotov6.ResourceIdentityData{IdentityData: rpc.Value(test.identity)},
			})
			if err != nil {
				t.Fatal(err)
			}
			if told := providertest.Told(answer.Diagnostics); (told == "") != (test.want == "") || !strings.Contains(told, test.want) {
				t.Fatalf("diagnostics = %s, want %q", told, test.want)
			}
			if test.want != "" {
				return
			}
			found := answer.ImportedResources[0]
			read, err := rpc.Server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
				TypeName: typeName, CurrentState: found.State, Private: found.Private, CurrentIdentity: found.Identity,
			})
			rpc.OK(err, read.Diagnostics)
			if got := rpc.Identity(read.NewIdentity, "workspace_id", "id"); got["id"] != id || got["workspace_id"] != providertest.WorkspaceID {
				t.Errorf("identity = %v, want %s", got, id)
			}
		})
	}
}

// TestAccOAuthTokenList_next queries with a CLI.
func TestAccOAuthTokenList_next(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	imported(plane, "theirs", 3600)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_14_0)),
		Steps: []resource.TestStep{{
			Query:             true,
			Config:            "provider \"agentplane\" {}\n\nlist \"agentplane_oauth_token\" \"all\" {\n  provider = agentplane\n}\n",
			QueryResultChecks: []querycheck.QueryResultCheck{querycheck.ExpectLength("agentplane_oauth_token.all", 1)},
		}},
	})
}
