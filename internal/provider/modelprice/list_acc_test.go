package modelprice_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccModelPriceListResource lists every number of prices.
func TestAccModelPriceListResource(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 100, 101, 250} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			want := map[string]string{}
			for i := range count {
				price := made(plane, map[string]any{"name": fmt.Sprintf("Model %03d", i)})
				want[price.ID] = price.Name
			}
			rpc := plane.RPC()
			found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName}, map[string]any{})
			rpc.OK(nil, diags)
			got := map[string]string{}
			for _, result := range found {
				identity := rpc.Identity(result.Identity, "workspace_id", "id")
				if identity["workspace_id"] != providertest.WorkspaceID || result.Resource != nil {
					t.Errorf("%v is shown with a resource: %t", identity, result.Resource != nil)
				}
				got[identity["id"]] = result.DisplayName
			}
			if diff := cmp.Diff(want, got); diff != "" || len(found) != count {
				t.Errorf("%d results (-want +got):\n%s", len(found), diff)
			}
		})
	}
}

// TestAccModelPriceListResource_filters expects what matches everything that is set.
func TestAccModelPriceListResource_filters(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made(plane, map[string]any{"name": "Large & Co", "provider": "example"})
	made(plane, map[string]any{"name": "Small", "provider": "example"})
	made(plane, map[string]any{"name": "Any"})
	rpc := plane.RPC()
	for name, test := range map[string]struct {
		config map[string]any
		limit  int64
		want   []string
	}{
		"all":      {map[string]any{}, 0, []string{"Large & Co", "Small", "Any"}},
		"name":     {map[string]any{"name_contains": "LARGE &"}, 0, []string{"Large & Co"}},
		"provider": {map[string]any{"model_provider": "example"}, 0, []string{"Large & Co", "Small"}},
		"both":     {map[string]any{"model_provider": "example", "name_contains": "all"}, 0, []string{"Small"}},
		"nothing":  {map[string]any{"model_provider": "other"}, 0, nil},
		"limit":    {map[string]any{}, 2, []string{"Large & Co", "Small"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName, Limit: test.limit}, test.config)
			rpc.OK(nil, diags)
			var got []string
			for _, result := range found {
				got = append(got, result.DisplayName)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
				t.Errorf("prices (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAccModelPriceListResource_ofTheService leaves out what nobody can manage.
func TestAccModelPriceListResource_ofTheService(t *testing.T) {
	t.Parallel()
	rpc := providertest.NewFrom(t, api.Neutral, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"id": "a", "tenant_id": null, "name": "Theirs"}, {"id": "b", "tenant_id": "w", "name": "Ours"}]`))
	})).RPC()
	found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName}, map[string]any{})
	rpc.OK(nil, diags)
	if len(found) != 1 || found[0].DisplayName != "Ours" {
		t.Errorf("found %d, want ours", len(found))
	}
}

// TestAccModelPriceListResource_whole takes what is shown as a state and as a configuration: it plans nothing.
func TestAccModelPriceListResource_whole(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made(plane, nil)
	made(plane, wholeBody)
	rpc := plane.RPC()
	found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName, IncludeResource: true}, map[string]any{})
	rpc.OK(nil, diags)
	if len(found) != 2 {
		t.Fatalf("%d results", len(found))
	}
	for _, result := range found {
		rpc.PlansNothing(typeName, result)
	}
}

func TestAccModelPriceListResource_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	rpc := plane.RPC()
	plane.Arm(devserver.Fault{Match: listing, Status: 403, Detail: "No access"})()
	_, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName}, map[string]any{})
	if told := providertest.Told(diags); !strings.Contains(told, "Cannot list model prices") || !strings.Contains(told, "No access") {
		t.Errorf("diagnostics %s", told)
	}
}

// TestAccModelPriceListResource_next queries as people do.
func TestAccModelPriceListResource_next(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made(plane, nil)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_14_0)),
		Steps: []resource.TestStep{{
			Query:             true,
			Config:            "provider \"agentplane\" {}\n\nlist \"agentplane_model_price\" \"all\" {\n  provider = agentplane\n}\n",
			QueryResultChecks: []querycheck.QueryResultCheck{querycheck.ExpectLength("agentplane_model_price.all", 1)},
		}},
	})
}
