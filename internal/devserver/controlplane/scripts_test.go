package controlplane_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestScripts sends the requests of public CI scripts, in their order: most look a deployment up by its name, create or patch it, and poll
// its newest revision.
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
	keys := []devserver.Key{
		{Value: "of-workspace", Workspaces: []string{devservertest.WorkspaceA}},
		{Value: "of-organization", Workspaces: []string{devservertest.WorkspaceA, devservertest.WorkspaceB}},
	}
	for name, tc := range map[string]struct {
		prefix string
		header []string
	}{
		"a key of one workspace":               {"", []string{"X-Api-Key", "of-workspace"}},
		"a key of an organization":             {"", []string{"X-Api-Key", "of-organization", "X-Tenant-Id", devservertest.WorkspaceA}},
		"self-hosted":                          {"/api-host", []string{"X-Api-Key", "of-workspace"}},
		"self-hosted, with a workspace":        {"/api-host", []string{"X-Api-Key", "of-organization", "X-Tenant-Id", devservertest.WorkspaceA}},
		"the key also as a bearer token":       {"", []string{"X-Api-Key", "of-workspace", "Authorization", "Bearer of-workspace"}},
		"another bearer token beside the key":  {"", []string{"X-Api-Key", "of-workspace", "Authorization", "Bearer of-another-service"}},
		"only a bearer token":                  {"/api-host", []string{"Authorization", "Bearer of-workspace"}},
		"a form of content type with encoding": {"", []string{"X-Api-Key", "of-workspace", "Content-Type", "application/json; charset=utf-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProduct(t, devserver.Config{Keys: keys})
			p.plane = p.As(tc.header...)
			id := ""
			for _, call := range script {
				method, path, _ := strings.Cut(strings.Replace(call.request, "{id}", id, 1), " ")
				var body any // Not a nil map, which would be sent as null.
				if call.body != nil {
					body = call.body
				}
				answer := p.say(method, tc.prefix+path, body, call.status)
				if !strings.Contains(string(answer.Body), call.want) {
					t.Errorf("%s: %s, want %s", call.request, answer.Body, call.want)
				}
				if method == http.MethodPost {
					id = devservertest.Into[object](answer)["id"].(string)
				}
			}
		})
	}
	without := newProduct(t, devserver.Config{Keys: keys})
	without.plane = without.As("X-Api-Key", "of-organization")
	without.say(http.MethodGet, "/v2/deployments?name_contains=chat", nil, http.StatusForbidden).
		WantDetail("This API key is org-scoped and requires workspace specification. Please provide 'X-Tenant-ID' header.")
}
