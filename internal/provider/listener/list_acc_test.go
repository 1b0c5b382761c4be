package listener_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// query lists listeners as terraform query does, which needs Terraform 1.14.
func query(r *providertest.RPC, req tfprotov6.ListResourceRequest, config map[string]any) ([]tfprotov6.ListResourceResult, []*tfprotov6.Diagnostic) {
	req.TypeName = typeName
	return r.Query(req, config)
}

func TestAccListenerListResource(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, twoWorkspaces)
	want := []string{seeded}
	ids := map[string]string{seeded: plane.ListenerID}
	for i := range 101 {
		name := fmt.Sprintf("cluster %03d & more", i)
		want = append(want, name)
		ids[name] = register(plane, name, "agents").ID
	}
	there := plane.In(otherWorkspace)
	ids["elsewhere"] = register(there, "elsewhere").ID
	r := plane.RPC()

	tests := map[string]struct {
		request     tfprotov6.ListResourceRequest
		config      map[string]any
		workspaceID string
		want        []string
	}{
		"all":             {config: map[string]any{}, want: want},
		"one":             {config: map[string]any{"compute_id": "cluster 007 & more"}, want: []string{"cluster 007 & more"}},
		"none":            {config: map[string]any{"compute_id": "cluster"}},
		"limited":         {request: tfprotov6.ListResourceRequest{Limit: 2}, config: map[string]any{}, want: want[:2]},
		"other workspace": {config: map[string]any{"workspace_id": otherWorkspace, "compute_id": "elsewhere"}, workspaceID: otherWorkspace, want: []string{"elsewhere"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			all, diags := query(r, test.request, test.config)
			r.OK(nil, diags)
			var got []string
			for _, found := range all {
				got = append(got, found.DisplayName)
				wantIdentity := map[string]string{
					"workspace_id": cmp.Or(test.workspaceID, providertest.WorkspaceID), "id": ids[found.DisplayName],
				}
				if diff := gocmp.Diff(wantIdentity, identity(r, found.Identity)); diff != "" {
					t.Errorf("identity of %s (-want +got):\n%s", found.DisplayName, diff)
				}
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("listeners (-want +got):\n%s", diff)
			}
		})
	}
	if single := len(plane.Requests("GET", "/v2/listeners/*")); single > 0 {
		t.Errorf("%d listeners were read individually, want none", single)
	}
}

// TestAccListenerListResource_whole requests whole resources: using them as configuration, the plan is empty.
func TestAccListenerListResource_whole(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	silent := register(plane, "silent")
	plane.Call("PATCH", "/v2/listeners/"+silent.ID, map[string]any{"version": "0.2.7"}, nil)
	plane.Call("POST", "/dev/listeners", map[string]any{"compute_id": "nowhere", "k8s_namespaces": []string{}}, nil)
	r := plane.RPC()
	all, diags := query(r, tfprotov6.ListResourceRequest{IncludeResource: true}, map[string]any{})
	r.OK(nil, diags)
	if len(all) != 3 {
		t.Fatalf("%d listeners, want 3", len(all))
	}
	for _, found := range all {
		state := attributes(r, found.Resource)
		if got := state["compute_id"]; !got.Equal(tftypes.NewValue(tftypes.String, found.DisplayName)) {
			t.Errorf("want the compute_id %s in its resource, got %s", found.DisplayName, got)
		}
		plan, err := r.Server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: typeName, PriorState: found.Resource, Config: configuration(t, r, state), ProposedNewState: found.Resource,
		})
		r.OK(err, plan.Diagnostics)
		if diff := gocmp.Diff(state, attributes(r, plan.PlannedState)); diff != "" {
			t.Errorf("plan of %s (-state +planned):\n%s", found.DisplayName, diff)
		}
	}
}

// configuration returns only the settable attributes of a state, as -generate-config-out writes them.
func configuration(t *testing.T, r *providertest.RPC, state map[string]tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	schema := r.Schema.ResourceSchemas[typeName]
	settable := map[string]tftypes.Value{}
	for _, a := range schema.Block.Attributes {
		settable[a.Name] = state[a.Name]
		if !a.Required && !a.Optional {
			settable[a.Name] = tftypes.NewValue(state[a.Name].Type(), nil)
		}
	}
	config, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), settable))
	if err != nil {
		t.Fatal(err)
	}
	return &config
}

func TestAccListenerListResource_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	r := plane.RPC()
	plane.Arm(devserver.Fault{Match: "GET /v2/listeners", Status: 403, Detail: "No access"})()
	all, diags := query(r, tfprotov6.ListResourceRequest{}, map[string]any{})
	if len(all) > 0 || len(diags) != 1 || diags[0].Summary != "Cannot list listeners" || !strings.Contains(diags[0].Detail, "No access") {
		t.Errorf("%d listeners, diagnostics = %v; want none, and an error about missing access", len(all), diags)
	}
}

// TestAccListenerListResource_next runs a query with the CLI.
func TestAccListenerListResource_next(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	register(plane, "another-cluster", "agents")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_14_0)),
		Steps: []resource.TestStep{{
			Query: true,
			Config: `
provider "agentplane" {}

list "agentplane_listener" "all" {
  provider = agentplane
}

list "agentplane_listener" "one" {
  provider = agentplane

  config {
    compute_id = "another-cluster"
  }
}
`,
			QueryResultChecks: []querycheck.QueryResultCheck{
				querycheck.ExpectLength("agentplane_listener.all", 2),
				querycheck.ExpectLength("agentplane_listener.one", 1),
			},
		}},
	})
}
