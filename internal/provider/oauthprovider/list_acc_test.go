package oauthprovider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccOAuthProviderListResource lists every number of providers, and those that match.
func TestAccOAuthProviderListResource(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 100, 101, 250} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			for i := range count {
				made(plane, fmt.Sprintf("provider-%03d", i), map[string]any{"name": fmt.Sprintf("Provider %03d", i)})
			}
			rpc := plane.RPC()
			found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName}, map[string]any{})
			rpc.OK(nil, diags)
			seen := map[string]bool{}
			for _, result := range found {
				identity := rpc.Identity(result.Identity, "workspace_id", "provider_id")
				if want := "Provider " + strings.TrimPrefix(identity["provider_id"], "provider-"); result.DisplayName != want ||
					identity["workspace_id"] != providertest.WorkspaceID || result.Resource != nil {
					t.Errorf("%v is shown as %q, with a resource: %t", identity, result.DisplayName, result.Resource != nil)
				}
				seen[identity["provider_id"]] = true
			}
			if len(found) != count || len(seen) != count {
				t.Errorf("%d results, %d different ones, want %d", len(found), len(seen), count)
			}
			if singles := plane.Requests("GET", "/v2/auth/providers/*"); len(singles) > 0 {
				t.Errorf("%d providers were read one by one", len(singles))
			}
		})
	}
}

// TestAccOAuthProviderListResource_filters expects what matches everything that is set.
func TestAccOAuthProviderListResource_filters(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made(plane, "calendar", map[string]any{"name": "Calendar & Co", "provider_type": "microsoft"})
	made(plane, "mail", map[string]any{"name": "Mail", "provider_type": "microsoft"})
	made(plane, "chat", map[string]any{"name": "Chat"})
	rpc := plane.RPC()
	for name, test := range map[string]struct {
		config map[string]any
		limit  int64
		want   []string
	}{
		"all":     {map[string]any{}, 0, []string{"calendar", "mail", "chat"}},
		"name":    {map[string]any{"name_contains": "CAL"}, 0, []string{"calendar"}},
		"special": {map[string]any{"name_contains": "& c"}, 0, []string{"calendar"}},
		"type":    {map[string]any{"provider_type": "microsoft"}, 0, []string{"calendar", "mail"}},
		"both":    {map[string]any{"provider_type": "microsoft", "name_contains": "a"}, 0, []string{"calendar", "mail"}},
		"nothing": {map[string]any{"provider_type": "slack"}, 0, nil},
		"limit":   {map[string]any{}, 2, []string{"calendar", "mail"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName, Limit: test.limit}, test.config)
			rpc.OK(nil, diags)
			var got []string
			for _, result := range found {
				got = append(got, rpc.Identity(result.Identity, "workspace_id", "provider_id")["provider_id"])
			}
			if diff := cmp.Diff(test.want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
				t.Errorf("providers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAccOAuthProviderListResource_whole takes what is shown as a state and as a configuration: it plans nothing.
func TestAccOAuthProviderListResource_whole(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made(plane, "plain", map[string]any{"client_secret": "canary-of-the-list"})
	made(plane, "whole", whole)
	rpc := plane.RPC()
	found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName, IncludeResource: true}, map[string]any{})
	rpc.OK(nil, diags)
	if len(found) != 2 {
		t.Fatalf("%d results", len(found))
	}
	for _, result := range found {
		if strings.Contains(string(result.Resource.MsgPack), "canary") {
			t.Error("a secret is shown")
		}
		rpc.PlansNothing(typeName, result)
	}
}

func TestAccOAuthProviderListResource_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	rpc := plane.RPC()
	plane.Arm(devserver.Fault{Match: listing, Status: 403, Detail: "No access"})()
	_, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName}, map[string]any{})
	if told := providertest.Told(diags); !strings.Contains(told, "Cannot list OAuth providers") || !strings.Contains(told, "No access") {
		t.Errorf("diagnostics %s", told)
	}
}

// TestAccOAuthProviderListResource_next queries as people do.
func TestAccOAuthProviderListResource_next(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made(plane, "calendar", nil)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_14_0)),
		Steps: []resource.TestStep{{
			Query:             true,
			Config:            "provider \"agentplane\" {}\n\nlist \"agentplane_oauth_provider\" \"all\" {\n  provider = agentplane\n}\n",
			QueryResultChecks: []querycheck.QueryResultCheck{querycheck.ExpectLength("agentplane_oauth_provider.all", 1)},
		}},
	})
}
