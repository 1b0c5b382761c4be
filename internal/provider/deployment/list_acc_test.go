package deployment_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// found is a result of terraform query.
type found struct {
	name, id string
	resource *tfprotov6.DynamicValue
}

// query lists deployments as terraform query does, which needs Terraform 1.14.
func (r *rpc) query(req tfprotov6.ListResourceRequest, config map[string]any) ([]found, []*tfprotov6.Diagnostic) {
	r.t.Helper()
	req.TypeName, req.Config = typeName, value(r.t, config)
	server, ok := r.server.(tfprotov6.ProviderServerWithListResource) //nolint:staticcheck // As the protocol specifies.
	if !ok {
		r.t.Fatal("the provider has no list resources")
	}
	stream, err := server.ListResource(context.Background(), &req)
	if err != nil {
		r.t.Fatal(err)
	}
	identity := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String, "workspace_id": tftypes.String}}
	var all []found
	var diags []*tfprotov6.Diagnostic
	for result := range stream.Results {
		diags = append(diags, result.Diagnostics...)
		if result.Identity == nil {
			continue
		}
		attributes := decoded(r.t, result.Identity.IdentityData, identity)
		if workspaceID := plain(r.t, attributes["workspace_id"]); workspaceID != providertest.WorkspaceID {
			r.t.Errorf("workspace_id of %s = %s, want %s", result.DisplayName, workspaceID, providertest.WorkspaceID)
		}
		all = append(all, found{name: result.DisplayName, id: plain(r.t, attributes["id"]), resource: result.Resource})
	}
	return all, diags
}

func displayNames(all []found) []string {
	var got []string
	for _, f := range all {
		got = append(got, f.name)
	}
	slices.Sort(got)
	return got
}

func TestAccDeploymentListResource(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	var want []string
	for i := range 101 {
		want = append(want, fmt.Sprintf("chat-%03d", i))
		post(plane, want[i], nil)
	}
	plane.Clock.Advance(providertest.Rollout)
	other := post(plane, "research", nil)
	plane.Call("DELETE", "/v2/deployments/"+post(plane, "going", nil), nil, nil)
	r := newRPC(t, plane)

	tests := map[string]struct {
		request tfprotov6.ListResourceRequest
		config  map[string]any
		want    []string
	}{
		"all":         {config: map[string]any{}, want: append(slices.Clone(want), "research")},
		"by name":     {config: map[string]any{"name": "chat-007"}, want: []string{"chat-007"}},
		"by part":     {config: map[string]any{"name_contains": "chat-09"}, want: want[90:100]},
		"by id":       {config: map[string]any{"ids": []string{other}}, want: []string{"research"}},
		"by status":   {config: map[string]any{"status": "AWAITING_DATABASE"}, want: []string{"research"}},
		"none":        {config: map[string]any{"name_contains": "a&b=c"}},
		"limited":     {request: tfprotov6.ListResourceRequest{Limit: 2}, config: map[string]any{"name_contains": "chat-00"}},
		"limit met":   {request: tfprotov6.ListResourceRequest{Limit: 10}, config: map[string]any{"name_contains": "chat-09"}},
		"page met":    {request: tfprotov6.ListResourceRequest{Limit: 100}, config: map[string]any{}},
		"going":       {config: map[string]any{"name": "going"}},
		"no resource": {config: map[string]any{"name": "research"}, want: []string{"research"}},
	}
	for name, test := range tests {
		all, diags := r.query(test.request, test.config)
		r.ok(nil, diags)
		if test.request.Limit > 0 {
			if len(all) != int(test.request.Limit) {
				t.Errorf("%s: %d results, want %d", name, len(all), test.request.Limit)
			}
			told := providertest.Told(diags)
			if warned := strings.Contains(told, fmt.Sprintf("The limit of this query is %d, and the service has more deployments", test.request.Limit)); warned == (name == "limit met") {
				t.Errorf("%s: diagnostics = %s, want a warning only if there are more", name, told)
			}
			continue
		}
		if diff := cmp.Diff(test.want, displayNames(all)); diff != "" {
			t.Errorf("%s: deployments (-want +got):\n%s", name, diff)
		}
	}
	// Unless whole resources are requested, none is read individually.
	if single := len(plane.Requests("GET", "/v2/deployments/*")) + len(plane.Requests("GET", "/v2/deployments/*/revisions/*")); single > 0 {
		t.Errorf("%d objects were read individually, want none", single)
	}
}

// TestAccDeploymentListResource_whole requests whole resources: using them as configuration, the plan is empty.
func TestAccDeploymentListResource_whole(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		post(plane, "chat", func(body map[string]any) {
			body["secrets"] = []any{map[string]any{"name": "TOKEN", "value": "canary-of-the-list"}}
			body["source_config"].(map[string]any)["resource_spec"] = map[string]any{
				"cpu": 2, "labels": map[string]any{"team": "a"}, "sidecars": []any{map[string]any{
					"name": "proxy", "image": "proxy:1", "env": []any{map[string]any{"name": "TOKEN", "value": "canary-of-the-list"}},
				}},
			}
		})
		post(plane, "repo", func(body map[string]any) {
			body["source"] = "git_host"
			body["source_config"] = plane.SourceConfig("git_host", map[string]any{
				"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/example-org/chat", "build_on_push": true,
			})
			body["source_revision_config"] = map[string]any{"repo_ref": "main", "graph_config_path": "graph.json"}
		})
		plane.Clock.Advance(providertest.Rollout)
		post(plane, "late", nil)
		r := newRPC(t, plane)
		all, diags := r.query(tfprotov6.ListResourceRequest{IncludeResource: true}, map[string]any{})
		r.ok(nil, diags)
		if diff := cmp.Diff([]string{"chat", "late", "repo"}, displayNames(all)); diff != "" {
			t.Fatal(diff)
		}
		for _, f := range all {
			state := attributes(r, f.resource)
			if got := plain(t, state["name"]); got != f.name {
				t.Errorf("want the name %s in its resource, got %s", f.name, got)
			}
			if status := plain(t, state["latest_revision_status"]); (status == "DEPLOYED") == (f.name == "late") {
				t.Errorf("latest_revision_status of %s = %s, want DEPLOYED except for late", f.name, status)
			}
			if strings.Contains(string(f.resource.MsgPack), "canary-of-the-list") {
				t.Errorf("the resource of %s contains the value of a secret", f.name)
			}
			if f.name == "late" {
				continue // Its rollout is in progress: the plan is to wait.
			}
			config := value(t, configuration(t, r, f.resource))
			plan, err := r.server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
				TypeName: typeName, PriorState: f.resource, Config: config, ProposedNewState: f.resource,
			})
			r.ok(err, plan.Diagnostics)
			if diff := cmp.Diff(state, attributes(r, plan.PlannedState)); diff != "" {
				t.Errorf("plan of %s (-state +planned):\n%s", f.name, diff)
			}
		}
	})
}

// attributes returns the attributes of a state or plan.
func attributes(r *rpc, v *tfprotov6.DynamicValue) map[string]tftypes.Value {
	r.t.Helper()
	return decoded(r.t, v, r.schema.ResourceSchemas[typeName].ValueType())
}

// configuration returns only the settable attributes of a state, as -generate-config-out writes them.
func configuration(t *testing.T, r *rpc, state *tfprotov6.DynamicValue) map[string]any {
	t.Helper()
	config := map[string]any{}
	settable := map[string]bool{}
	for _, a := range r.schema.ResourceSchemas[typeName].Block.Attributes {
		settable[a.Name] = a.Required || a.Optional
	}
	for name, v := range attributes(r, state) {
		if settable[name] && !v.IsNull() {
			config[name] = jsonOf(t, v)
		}
	}
	delete(config["source_revision_config"].(map[string]any), "repo_commit_sha")
	return config
}

// jsonOf converts a value to JSON without nulls.
func jsonOf(t *testing.T, v tftypes.Value) any {
	t.Helper()
	switch {
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		var attributes map[string]tftypes.Value
		if err := v.As(&attributes); err != nil {
			t.Fatal(err)
		}
		object := map[string]any{}
		for name, attribute := range attributes {
			if !attribute.IsNull() {
				object[name] = jsonOf(t, attribute)
			}
		}
		return object
	case v.Type().Is(tftypes.List{}):
		var items []tftypes.Value
		if err := v.As(&items); err != nil {
			t.Fatal(err)
		}
		list := []any{}
		for _, item := range items {
			list = append(list, jsonOf(t, item))
		}
		return list
	case v.Type().Is(tftypes.String):
		return plain(t, v)
	case v.Type().Is(tftypes.Bool):
		var b bool
		if err := v.As(&b); err != nil {
			t.Fatal(err)
		}
		return b
	case v.Type().Is(tftypes.Number):
		return json.RawMessage(fmt.Sprint(number(t, v)))
	}
	t.Fatalf("jsonOf doesn't support %s", v.Type())
	return nil
}

func number(t *testing.T, v tftypes.Value) float64 {
	t.Helper()
	n := new(big.Float)
	if err := v.As(&n); err != nil {
		t.Fatal(err)
	}
	f, _ := n.Float64()
	return f
}

func TestAccDeploymentListResource_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	post(plane, "chat", nil)
	r := newRPC(t, plane)
	plane.Arm(devserver.Fault{Match: "GET /v2/deployments", Status: 403, Detail: "No access"})()
	if _, diags := r.query(tfprotov6.ListResourceRequest{}, map[string]any{}); len(diags) != 1 || !strings.Contains(diags[0].Detail, "No access") {
		t.Errorf("diagnostics = %v, want one about missing access", diags)
	}
	plane.Arm(devserver.Fault{Match: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}", Status: 404, Detail: "Revision not found."})()
	all, diags := r.query(tfprotov6.ListResourceRequest{IncludeResource: true}, map[string]any{})
	r.ok(nil, diags)
	if len(all) != 1 {
		t.Errorf("%d deployments, want the one whose revision can't be read", len(all))
	}
}

// TestAccDeploymentListResource_revisionRefused leaves out the one deployment whose revision can't be read, with a warning. It doesn't
// count towards the limit.
func TestAccDeploymentListResource_revisionRefused(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int64{"all": 0, "limited": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			for _, name := range []string{"first", "second", "third"} {
				post(plane, name, nil)
			}
			r := newRPC(t, plane)
			plane.Arm(devserver.Fault{Match: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}", Status: 403, Detail: "No access"})()
			all, diags := r.query(tfprotov6.ListResourceRequest{IncludeResource: true, Limit: limit}, map[string]any{})
			if len(all) != 2 {
				t.Errorf("%d deployments, want 2", len(all))
			}
			if len(diags) != 1 || diags[0].Severity != tfprotov6.DiagnosticSeverityWarning || !strings.Contains(diags[0].Summary, "Cannot read the newest revision") ||
				!strings.Contains(diags[0].Detail, "No access") || !strings.Contains(diags[0].Detail, "The list leaves it out.") {
				t.Errorf("diagnostics = %v, want one warning", diags)
			}
		})
	}
}
