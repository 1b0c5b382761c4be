package controlplane_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestIsolation tries to access a deployment, a listener, an integration and everything that belongs to them from another workspace. All of it
// must look as if it didn't exist, and stay unchanged.
func TestIsolation(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{DevAPI: true})
	other := product{p.As("X-Tenant-Id", devservertest.WorkspaceB)}
	made := p.object(http.MethodPost, "/v2/deployments", docker("chat"), http.StatusCreated)
	id := made["id"].(string)
	revision := made["latest_revision_id"].(string)
	listener := listen(p.plane, listenerBody("east")).ID
	own := listen(other.plane, listenerBody("east")).ID // The same compute ID is another listener in another workspace.
	integration := p.object(http.MethodPost, "/dev/integrations", object{"name": "theirs"}, http.StatusCreated)["id"].(string)
	path := "/v2/deployments/" + id
	before := p.get(path)

	for request, body := range map[string]any{
		"GET " + path:    nil,
		"PATCH " + path:  object{"secrets": []any{}},
		"DELETE " + path: nil,
		"DELETE /v2/deployments?deployment_ids=" + id:                         nil,
		"GET " + path + "/revisions":                                          nil,
		"POST " + path + "/revisions":                                         object{},
		"GET " + path + "/revisions/" + revision:                              nil,
		"POST " + path + "/revisions/" + revision + "/redeploy":               object{},
		"POST " + path + "/revisions/" + revision + "/interruption":           object{},
		"POST " + path + "/push-token":                                        object{},
		"POST " + path + "/upload-url":                                        object{},
		"PATCH " + path + "/deployment-tier":                                  object{"deployment_tier": "SERVERLESS_M"},
		"PATCH " + path + "/resource-tiers":                                   object{"compute_tier": "SERVERLESS_M"},
		"GET /v2/deployment-logs?deployment_id=" + id:                         nil,
		"POST /v1/projects/" + id + "/deploy_logs":                            object{},
		"POST /v1/projects/" + id + "/revisions/" + revision + "/build_logs":  object{},
		"POST /v1/projects/" + id + "/revisions/" + revision + "/deploy_logs": object{},
		"GET /v2/listeners/" + listener:                                       nil,
		"PATCH /v2/listeners/" + listener:                                     object{"version": "2"},
		"DELETE /v2/listeners/" + listener:                                    nil,
		"GET /v1/integrations/github/" + integration + "/repos":               nil,
		"GET /v1/integrations/forge/github/" + integration + "/repos":         nil,
	} {
		method, at, _ := strings.Cut(request, " ")
		if reply := other.Do(method, at, body); reply.Status != http.StatusNotFound {
			t.Errorf("%s from another workspace: status %d, want 404: %s", request, reply.Status, reply.Body)
		}
	}
	for list, want := range map[string][]any{"/v2/deployments": nil, "/v2/listeners": {own}} {
		var found []any
		for _, one := range other.get(list)["resources"].([]any) {
			found = append(found, one.(object)["id"])
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("%s from another workspace (-want +got):\n%s", list, diff)
		}
	}
	if diff := cmp.Diff(before, p.get(path)); diff != "" {
		t.Errorf("requests from another workspace changed the deployment (-before +after):\n%s", diff)
	}
	p.say(http.MethodGet, "/v2/listeners/"+listener, nil, http.StatusOK)
}
