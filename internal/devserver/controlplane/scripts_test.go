package controlplane_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestScripts sends the requests of public CI scripts, in their order: most look a deployment up by its name, create or patch it, and poll
// its newest revision. Here they go to a self-hosted installation; TestRoutes and TestKeysAndWorkspaces have other paths and keys.
func TestScripts(t *testing.T) {
	t.Parallel()
	type call struct {
		request string
		body    object
		status  int
		want    string // In the answer.
	}
	create := object{
		"name": "chat", "source": "external_docker", "source_config": object{"resource_spec": object{"cpu": 0.5}},
		"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:1"}, "secrets": []any{object{"name": "KEY", "value": "one"}},
	}
	script := []call{
		{"GET /v2/deployments?name_contains=chat", nil, 200, `"resources":[]`},
		{"GET /v2/listeners?limit=100", nil, 200, `"resources":[]`},
		{"POST /v2/deployments", create, 201, `"latest_revision_id":"`},
		{"GET /v2/deployments?name_contains=chat", nil, 200, `"name":"chat"`},
		{"PATCH /v2/deployments/{id}", object{
			"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:2"}, "secrets": []any{object{"name": "KEY", "value": "two"}},
		}, 200, `agent:2"`},
		{"GET /v2/deployments/{id}/revisions?limit=1", nil, 200, `"status":"DEPLOYED"`},
		{"PATCH /v2/deployments/{id}/deployment-tier", object{"deployment_tier": "DEDICATED_S"}, 200, `"deployment_tier":"DEDICATED_S"`},
		{"DELETE /v2/deployments/{id}", nil, 204, ""},
	}
	p := newProduct(t, devserver.Config{Keys: []devserver.Key{{Value: "of-workspace", Workspaces: []string{devservertest.WorkspaceA}}}})
	p.plane = p.As("Authorization", "Bearer of-workspace", "Content-Type", "application/json; charset=utf-8")
	id := ""
	for _, call := range script {
		method, path, _ := strings.Cut(strings.Replace(call.request, "{id}", id, 1), " ")
		var body any // Not a nil map, which would be sent as null.
		if call.body != nil {
			body = call.body
		}
		answer := p.say(method, "/api-host"+path, body, call.status)
		if !strings.Contains(string(answer.Body), call.want) {
			t.Errorf("%s: %s, want %s", call.request, answer.Body, call.want)
		}
		if method == http.MethodPost {
			id = devservertest.Into[object](answer)["id"].(string)
		}
	}
}
