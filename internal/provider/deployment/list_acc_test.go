package deployment_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// query lists deployments as terraform query does, and also returns their sorted names.
func query(r *providertest.RPC, req tfprotov6.ListResourceRequest, config map[string]any) (all []tfprotov6.ListResourceResult, names []string, told string) {
	req.TypeName = driven
	all, diags := r.Query(req, config)
	for _, one := range all {
		names = append(names, one.DisplayName)
	}
	slices.Sort(names)
	return all, names, providertest.Told(diags)
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
	r := plane.RPC()

	tests := map[string]struct {
		request tfprotov6.ListResourceRequest
		config  map[string]any
		want    []string
	}{
		"all":       {config: map[string]any{}, want: append(slices.Clone(want), "research")},
		"by name":   {config: map[string]any{"name": "chat-007"}, want: []string{"chat-007"}},
		"by part":   {config: map[string]any{"name_contains": "chat-09"}, want: want[90:100]},
		"by id":     {config: map[string]any{"ids": []string{other}}, want: []string{"research"}},
		"by status": {config: map[string]any{"status": "AWAITING_DATABASE"}, want: []string{"research"}},
		"none":      {config: map[string]any{"name_contains": "a&b=c"}},
		"limited":   {request: tfprotov6.ListResourceRequest{Limit: 2}, config: map[string]any{"name_contains": "chat-00"}},
		"limit met": {request: tfprotov6.ListResourceRequest{Limit: 10}, config: map[string]any{"name_contains": "chat-09"}},
		"page met":  {request: tfprotov6.ListResourceRequest{Limit: 100}, config: map[string]any{}},
		"going":     {config: map[string]any{"name": "going"}},
	}
	for name, test := range tests {
		all, found, told := query(r, test.request, test.config)
		if strings.Contains(told, "ERROR: ") {
			t.Fatal(told)
		}
		if test.request.Limit > 0 {
			warned := strings.Contains(told, fmt.Sprintf("The limit of this query is %d, and the service has more deployments", test.request.Limit))
			if len(all) != int(test.request.Limit) || warned == (name == "limit met") {
				t.Errorf("%s: %d results, want %d, and a warning only if there are more: %s", name, len(all), test.request.Limit, told)
			}
			continue
		}
		if diff := cmp.Diff(test.want, found); diff != "" {
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
		r := plane.RPC()
		all, names, told := query(r, tfprotov6.ListResourceRequest{IncludeResource: true}, map[string]any{})
		if diff := cmp.Diff([]string{"chat", "late", "repo"}, names); diff != "" || told != "" {
			t.Fatal(diff, told)
		}
		for _, one := range all {
			state, name := r.Attributes(one.Resource, r.Schema.ResourceSchemas[driven].ValueType()), one.DisplayName
			var status string
			if err := state["latest_revision_status"].As(&status); err != nil || (status == "DEPLOYED") == (name == "late") {
				t.Errorf("latest_revision_status of %s = %s, want DEPLOYED except for late: %v", name, status, err)
			}
			if strings.Contains(string(one.Resource.MsgPack), "canary-of-the-list") {
				t.Errorf("the resource of %s contains the value of a secret", name)
			}
			if name != "late" { // Its rollout is in progress: the plan is to wait.
				r.PlansNothing(driven, one)
			}
		}
	})
}

// TestAccDeploymentListResource_revisionRefused leaves out the one deployment whose revision can't be read, with a warning. It doesn't
// count towards the limit. One whose revision isn't found is listed.
func TestAccDeploymentListResource_revisionRefused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	for _, name := range []string{"first", "second", "third"} {
		post(plane, name, nil)
	}
	r := plane.RPC()
	const match = "GET /v2/deployments/{deployment_id}/revisions/{revision_id}"
	plane.Arm(devserver.Fault{Match: match, Status: 403, Detail: "No access"})()
	_, names, told := query(r, tfprotov6.ListResourceRequest{IncludeResource: true, Limit: 2}, map[string]any{})
	if len(names) != 2 || strings.Count(told, "WARNING: ") != 1 || strings.Contains(told, "ERROR: ") {
		t.Errorf("%q and %s, want two deployments and one warning", names, told)
	}
	for _, part := range []string{"Cannot read the newest revision", "No access", "The list leaves it out."} {
		if !strings.Contains(told, part) {
			t.Errorf("the warning doesn't contain %q: %s", part, told)
		}
	}
	plane.Arm(devserver.Fault{Match: match, Status: 404, Detail: "Revision not found."})()
	if _, names, told = query(r, tfprotov6.ListResourceRequest{IncludeResource: true}, map[string]any{}); len(names) != 3 || told != "" {
		t.Errorf("%q and %s, want all three", names, told)
	}
}
