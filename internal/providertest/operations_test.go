package providertest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

type object = map[string]any

// operation is a documented operation as a client uses it. In path and body, $name is what an earlier operation has answered.
type operation struct {
	does   string // As in the document.
	path   string // Where it differs from that: parameters filled in, a query.
	body   object
	status int
	// keep takes members of the answer, by the names that they get.
	keep map[string]string
}

// operations are all of the document, in an order in which each has something to work on.
var operations = []operation{
	{does: "GET /v1/integrations/github/install", status: 200, keep: map[string]string{"integration": "0.id"}},
	{does: "GET /v1/integrations/github/{integration_id}/repos", path: "/v1/integrations/github/$integration/repos", status: 200},
	{does: "GET /v1/integrations/forge/github/install", status: 200, keep: map[string]string{"forge": "0.id"}},
	{does: "GET /v1/integrations/forge/github/{integration_id}/repos", path: "/v1/integrations/forge/github/$forge/repos", status: 200},

	{does: "GET /v2/integrations/github/installations", path: "/v2/integrations/github/installations?page_size=1", status: 200},
	{does: "GET /v2/integrations/github/installations/{integration_id}/repositories", path: "/v2/integrations/github/installations/$integration/repositories", status: 200},
	{does: "POST /v2/integrations/github/installation-link", status: 200},
	{does: "GET /v2/integrations/forge-github/installations", status: 200},
	{does: "POST /v2/integrations/forge-github/installation-link", body: object{"return_to": "https://example.com"}, status: 200, keep: map[string]string{"link": "install_url"}},
	{does: "GET /v2/integrations/forge-github/picker-sessions/{session_id}", path: "/v2/integrations/forge-github/picker-sessions/$session", status: 200},
	{does: "POST /v2/integrations/forge-github/picker-sessions/{session_id}/selection", path: "/v2/integrations/forge-github/picker-sessions/$session/selection", body: object{"action": "INSTALL_NEW"}, status: 200},

	{does: "POST /v2/listeners", body: object{"compute_type": "k8s", "compute_id": "c", "compute_config": object{"k8s_namespaces": []any{"a"}}}, status: 201, keep: map[string]string{"listener": "id"}},
	{does: "GET /v2/listeners", path: "/v2/listeners?limit=1", status: 200},
	{does: "GET /v2/listeners/{listener_id}", path: "/v2/listeners/$listener", status: 200},
	{does: "PATCH /v2/listeners/{listener_id}", path: "/v2/listeners/$listener", body: object{"version": "2"}, status: 200},
	{does: "DELETE /v2/listeners/{listener_id}", path: "/v2/listeners/$listener", status: 204},

	{does: "POST /v2/deployments", body: object{
		"name": "chat", "source": "github", "secrets": []any{object{"name": "A", "value": "b"}},
		"source_config":          object{"integration_id": "$integration", "repo_url": "https://git.example.com/example-org/chat", "deployment_type": "dev", "build_on_push": false},
		"source_revision_config": object{"repo_ref": "main", "langgraph_config_path": "langgraph.json"},
	}, status: 201, keep: map[string]string{"deployment": "id", "revision": "latest_revision_id"}},
	{does: "POST /v2/deployments", body: object{
		"name": "image", "source": "internal_docker", "secrets": []any{}, "source_config": object{"deployment_type": "dev"}, "source_revision_config": object{},
	}, status: 201, keep: map[string]string{"image": "id"}},
	{does: "POST /v2/deployments", body: object{
		"name": "source", "source": "internal_source", "secrets": []any{}, "source_config": object{"deployment_type": "dev"}, "source_revision_config": object{},
	}, status: 201, keep: map[string]string{"source": "id"}},
	{does: "GET /v2/deployments", path: "/v2/deployments?name_contains=chat", status: 200},
	{does: "GET /v2/deployments/free-count", status: 200},
	{does: "GET /v2/deployments/{deployment_id}", path: "/v2/deployments/$deployment", status: 200},
	{does: "PATCH /v2/deployments/{deployment_id}", path: "/v2/deployments/$deployment", body: object{"display_name": "Chat"}, status: 200},
	{does: "PATCH /v2/deployments/{deployment_id}/deployment-tier", path: "/v2/deployments/$deployment/deployment-tier", body: object{"deployment_tier": "DEDICATED_S"}, status: 200},
	{does: "PATCH /v2/deployments/{deployment_id}/resource-tiers", path: "/v2/deployments/$deployment/resource-tiers", body: object{"compute_tier": "DEDICATED_M", "database_tier": nil}, status: 200},
	{does: "POST /v2/deployments/{deployment_id}/push-token", path: "/v2/deployments/$image/push-token", status: 200},
	{does: "POST /v2/deployments/{deployment_id}/upload-url", path: "/v2/deployments/$source/upload-url", status: 200},
	{does: "GET /v2/deployments/{deployment_id}/revisions", path: "/v2/deployments/$deployment/revisions", status: 200},
	{does: "POST /v2/deployments/{deployment_id}/revisions", path: "/v2/deployments/$deployment/revisions", body: object{}, status: 201, keep: map[string]string{"newer": "id"}},
	{does: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}", path: "/v2/deployments/$deployment/revisions/$revision", status: 200},
	{does: "POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interruption", path: "/v2/deployments/$deployment/revisions/$newer/interruption", status: 204},
	{does: "POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy", path: "/v2/deployments/$deployment/revisions/$revision/redeploy", status: 200},
	{does: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs", path: "/v2/deployments/$deployment/revisions/$revision/logs?type=build", status: 200},
	{does: "GET /v2/deployment-logs", path: "/v2/deployment-logs?deployment_id=$deployment&log_type=BUILD", status: 200},
	{does: "POST /v1/projects/{project_id}/revisions/{revision_id}/build_logs", path: "/v1/projects/$deployment/revisions/$revision/build_logs", body: object{"limit": 50, "order": "asc"}, status: 200},
	{does: "POST /v1/projects/{project_id}/revisions/{revision_id}/deploy_logs", path: "/v1/projects/$deployment/revisions/$revision/deploy_logs", body: object{"limit": 50}, status: 200},
	{does: "POST /v1/projects/{project_id}/deploy_logs", path: "/v1/projects/$deployment/deploy_logs", body: object{"order": "desc"}, status: 200},
	{does: "DELETE /v2/deployments/{deployment_id}", path: "/v2/deployments/$image?delete_tracing_project=true", status: 204},
	{does: "DELETE /v2/deployments", path: "/v2/deployments?deployment_ids=$deployment&deployment_ids=$source", status: 200},

	{does: "POST /v2/auth/providers", body: object{
		"provider_id": "chat", "name": "Chat", "client_id": "c", "client_secret": "s", "auth_url": "https://chat.example/auth",
		"token_url": "https://chat.example/token", "provider_type": "slack", "authorization_params": object{"prompt": "consent"},
	}, status: 200},
	{does: "GET /v2/auth/providers", status: 200},
	{does: "GET /v2/auth/platform-providers", status: 200, keep: map[string]string{"login": "0.provider_id"}},
	{does: "GET /v2/auth/providers/{provider_id}", path: "/v2/auth/providers/chat", status: 200},
	{does: "PATCH /v2/auth/providers/{provider_id}", path: "/v2/auth/providers/chat", body: object{"uses_pkce": true}, status: 200},
	{does: "POST /v2/auth/providers/mcp-discover", body: object{"provider_id": "tools", "name": "Tools", "mcp_server_url": "$mcp"}, status: 200},
	{does: "POST /v2/auth/authenticate", body: object{"provider": "$login", "scopes": []any{"read"}}, status: 200, keep: map[string]string{"flow": "auth_id", "url": "url"}},
	{does: "GET /v2/auth/wait/{auth_id}", path: "/v2/auth/wait/$flow?timeout=0", status: 200},
	{does: "POST /v2/auth/callback/{provider_id}", path: "/v2/auth/callback/$login", body: object{"code": "$code", "state": "$state"}, status: 200},
	{does: "POST /v2/auth/authenticate", body: object{"provider": "$login", "scopes": []any{"read"}, "agent_id": nil, "token_id": nil}, status: 200, keep: map[string]string{"token": "metadata.token_id"}},
	{does: "GET /v2/auth/wait/{auth_id}", path: "/v2/auth/wait/$flow", status: 200},
	{does: "POST /v2/auth/authenticate", body: object{"provider": "$login", "scopes": []any{"read"}, "agent_id": "a"}, status: 200}, // A connection is required.
	{does: "GET /v2/auth/callback/{provider_id}", path: "/v2/auth/callback/$login?state=x&code=y", status: 400},
	{does: "GET /v2/auth/setup/{provider_id}", path: "/v2/auth/setup/$login?setup_action=install&installation_id=1", status: 200},
	{does: "GET /v2/auth/tokens", path: "/v2/auth/tokens?provider_id=$login", status: 200},
	{does: "POST /v2/auth/tokens/import", body: object{"provider_id": "chat", "access_token": "a", "refresh_token": nil, "expires_in_seconds": 60, "metadata": object{"b": 1}}, status: 200, keep: map[string]string{"imported": "token_id"}},
	{does: "GET /v2/auth/tokens/exists", path: "/v2/auth/tokens/exists?provider_id=chat", status: 200},
	{does: "POST /v2/auth/tokens/exists/batch", body: object{"provider_ids": []any{"chat"}}, status: 200},
	{does: "PATCH /v2/auth/tokens/{token_id}/metadata", path: "/v2/auth/tokens/$imported/metadata", body: object{"provider_account_label": "work"}, status: 200},
	{does: "GET /v2/auth/tokens/workspace/slack/exists", status: 200},
	{does: "POST /v2/auth/agents/{agent_id}/connections", path: "/v2/auth/agents/a/connections", body: object{"oauth_token_id": "$token"}, status: 201, keep: map[string]string{"connection": "id"}},
	{does: "GET /v2/auth/agents/{agent_id}/connections", path: "/v2/auth/agents/a/connections", status: 200},
	{does: "DELETE /v2/auth/agents/{agent_id}/connections/{connection_id}", path: "/v2/auth/agents/a/connections/$connection", status: 204},
	{does: "POST /v2/auth/agents/{agent_id}/providers/{provider_id}/tokens", path: "/v2/auth/agents/a/providers/chat/tokens", body: object{"access_token": "b", "scopes": []any{"read"}}, status: 201},
	{does: "DELETE /v2/auth/tokens/{token_id}", path: "/v2/auth/tokens/$imported", status: 204},
	{does: "DELETE /v2/auth/tokens/workspace/slack", status: 200},
	{does: "DELETE /v2/auth/tokens", path: "/v2/auth/tokens?provider_id=$login", status: 200},
	{does: "GET /v2/auth/token-events", path: "/v2/auth/token-events?limit=200", status: 200},
	{does: "DELETE /v2/auth/providers/{provider_id}", path: "/v2/auth/providers/chat", status: 200},
}

// direct shares no connections with http.DefaultTransport: an httptest.Server that a parallel test stops closes those.
var direct = &http.Transport{}

var variable = regexp.MustCompile(`\$[a-z]+`)

// TestOperations uses all operations of the document, and validates requests and responses against it.
func TestOperations(t *testing.T) {
	t.Parallel()
	web := httptest.NewUnstartedServer(nil)
	address := "http://" + web.Listener.Addr().String()
	server, err := devserver.New(devserver.Config{Dialect: api.LangSmith, DevAPI: true, Address: address, Rollout: time.Hour, Registry: "registry.example:5000"})
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = langSmith(t).Watch(server, func(v providertest.Violation) { t.Error(v) })
	web.Start()
	t.Cleanup(func() { web.Close(); _ = server.Close() })
	if _, err := server.Seed(t.Context(), devserver.DefaultWorkspaceID); err != nil {
		t.Fatal(err)
	}
	send := func(method, path string, body []byte) (int, []byte) {
		r, err := http.NewRequestWithContext(t.Context(), method, address+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", "key")
		if body != nil {
			r.Header.Set("Content-Type", "application/json")
		}
		answer, err := direct.RoundTrip(r) // Redirects are for browsers.
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, append([]byte(answer.Header.Get("Location")), text...)
	}
	send(http.MethodPost, "/dev/integrations", []byte(`{"name":"forge-org","forge":true}`))
	kept := map[string]string{"mcp": providertest.NewMCPServer(t)}
	fill := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(name string) string { return kept[name[1:]] })
	}
	done := map[string]bool{}
	for _, o := range operations {
		method, path, _ := strings.Cut(o.does, " ")
		kept["session"] = kept["link"][strings.LastIndex(kept["link"], "/")+1:]
		if o.path != "" {
			path = fill(o.path)
		}
		if o.does == "POST /v2/auth/callback/{provider_id}" {
			kept["code"], kept["state"] = allowed(t, kept["url"])
		}
		var body []byte
		if o.body != nil {
			text, err := json.Marshal(o.body)
			if err != nil {
				t.Fatal(err)
			}
			body = []byte(fill(string(text)))
		}
		status, answer := send(method, path, body)
		if status != o.status {
			t.Fatalf("%s %s answers %d, want %d: %s", method, path, status, o.status, answer)
		}
		done[o.does] = true
		for name, at := range o.keep {
			kept[name] = member(t, answer, at)
		}
	}
	if diff := cmp.Diff(documented(t), done); diff != "" {
		t.Errorf("operations (-documented +used):\n%s", diff)
	}
	if len(done) != 63 {
		t.Errorf("%d operations are used, want 63", len(done))
	}
}

// documented are the operations of the document.
func documented(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/langsmith.openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for path, item := range document.Paths {
		for method := range item {
			if method != "parameters" {
				all[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	return all
}

// member finds a text in JSON.
func member(t *testing.T, text []byte, at string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	for step := range strings.SplitSeq(at, ".") {
		switch v := value.(type) {
		case []any:
			value = v[0]
		case object:
			value = v[step]
		}
	}
	found, is := value.(string)
	if !is {
		t.Fatalf("%s of %s is %v", at, text, value)
	}
	return found
}

// allowed logs in at the toy login, and returns what the browser is sent back with.
func allowed(t *testing.T, address string) (code, state string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("user=alice&decision=allow"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := direct.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	back, err := url.Parse(answer.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	return back.Query().Get("code"), back.Query().Get("state")
}
