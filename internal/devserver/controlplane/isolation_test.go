package controlplane_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

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
	// The same compute ID, and the same name, are another listener and deployment in another workspace.
	ownDeployment := other.object(http.MethodPost, "/v2/deployments", docker("chat"), http.StatusCreated)["id"]
	own := listen(other.plane, listenerBody("east")).ID
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
	if found := devservertest.Get[[]object](other.plane, "/v1/integrations/github/install"); len(found) > 0 {
		t.Errorf("integrations from another workspace = %v, want none", found)
	}
	for _, seen := range other.Recorded().Requests {
		if seen.WorkspaceID != devservertest.WorkspaceB {
			t.Errorf("the requests of another workspace contain %+v", seen)
		}
	}
	for list, want := range map[string][]any{"/v2/deployments": {ownDeployment}, "/v2/listeners": {own}} {
		var found []any
		for _, one := range other.get(list)["resources"].([]any) {
			found = append(found, one.(object)["id"])
		}
		devservertest.Same(t, fmt.Sprintf("%s from another workspace", list), want, found)
	}
	devservertest.Same(t, "requests from another workspace changed the deployment", before, p.get(path))
	p.say(http.MethodGet, "/v2/listeners/"+listener, nil, http.StatusOK)
}
