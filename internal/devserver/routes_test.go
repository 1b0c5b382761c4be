package devserver_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceA)
	d := p.Create(p.RepoRequest("chat"))
	for _, prefix := range []string{"", "/api-host"} {
		for _, path := range []string{
			"/healthz", "/v2/deployments", "/v2/deployments/" + d.ID, "/v2/deployments/" + d.ID + "/revisions",
			"/v2/deployments/" + d.ID + "/revisions/" + *d.LatestRevisionID, "/v2/listeners",
			"/v2/deployments/" + d.ID + "/revisions/" + *d.LatestRevisionID + "/logs?type=build",
			"/v2/listeners/" + p.Seeded.ListenerID, "/v1/integrations/git_host/install", "/api/v1/sessions",
			"/v1/integrations/git_host/" + p.Seeded.IntegrationID + "/repos", "/v2/auth/providers",
			"/dev/requests", "/dev/faults",
		} {
			r := p.Do(http.MethodGet, prefix+path, nil).Want(http.StatusOK)
			if r.Header.Get("X-Request-Id") == "" || r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s%s: header = %v, want an X-Request-Id and JSON", prefix, path, r.Header)
			}
		}
		for _, path := range []string{"/v2", "/v2/deployments/", "/v2//deployments", "/v2/deployments/../deployments", "/v3/deployments", "/dev"} {
			r := p.Do(http.MethodGet, prefix+path, nil).Want(http.StatusNotFound)
			r.WantDetail("Not Found")
			if r.Header.Get("X-Request-Id") == "" {
				t.Errorf("%s%s: the response has no X-Request-Id", prefix, path)
			}
		}
		for path, allow := range map[string][]string{
			"/v2/deployments":           {"GET", "POST"},
			"/v2/deployments/" + d.ID:   {"DELETE", "GET", "PATCH"},
			"/v2/listeners":             {"GET", "POST"},
			"/v2/listeners/x":           {"DELETE", "GET", "PATCH"},
			"/v2/auth/providers":        {"GET", "POST"},
			"/v2/auth/providers/x":      {"DELETE", "GET", "PATCH"},
			"/v2/deployments/not-an-id": {"DELETE", "GET", "PATCH"},
		} {
			r := p.Do(http.MethodPut, prefix+path, object{}).Want(http.StatusMethodNotAllowed)
			r.WantDetail("Method Not Allowed")
			devservertest.Same(t, "Allow of "+path, allow, r.Header.Values("Allow"))
		}
	}
}

func TestDevAPIIsOffByDefault(t *testing.T) {
	t.Parallel()
	server, err := devserver.New(devserver.Config{})
	devservertest.Must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	for _, path := range []string{"/dev/requests", "/dev/faults", "/dev/push", "/dev/status", "/dev/listeners", "/dev/integrations"} {
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, http.NoBody))
		if answer.Code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, answer.Code)
		}
	}
}

func TestUnknownRoutesAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	server, err := devserver.New(devserver.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	devservertest.Must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/deployments", http.NoBody)
	request.Header.Set("X-Api-Key", "hush")
	server.ServeHTTP(httptest.NewRecorder(), request)
	for _, want := range []string{"level=INFO", "no such route", "path=/v1/deployments"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not contain %q: %s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "hush") {
		t.Errorf("the log contains the key: %s", log.String())
	}
}

// TestInternalErrors checks that the client gets status 500 if the store fails, and that the log contains the cause.
func TestInternalErrors(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	server, err := devserver.New(devserver.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	devservertest.Must(t, err)
	devservertest.Must(t, server.Close())
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v2/deployments", http.NoBody))
	if got := answer.Body.String(); answer.Code != 500 || got != "{\"detail\":\"Internal Server Error\"}\n" {
		t.Errorf("status %d, want 500 without details: %s", answer.Code, got)
	}
	if !strings.Contains(log.String(), "request failed") || !strings.Contains(log.String(), "closed") {
		t.Errorf("the log does not contain the cause: %s", log.String())
	}
}

func TestLargeBodies(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	p.Do(http.MethodPost, "/v2/deployments", strings.Repeat(" ", 10<<20)).Want(http.StatusUnprocessableEntity)
	p.Do(http.MethodPost, "/v2/deployments", strings.Repeat(" ", 10<<20+1)).Want(http.StatusRequestEntityTooLarge).
		WantDetail("The request body is larger than 10485760 bytes.")
}

// TestReady expects the server to be ready as long as its data can be used.
func TestReady(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{{Value: "k", Workspaces: []string{devservertest.WorkspaceA}}}})
	ready := func() int {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/readyz", http.NoBody))
		return w.Code
	}
	if got := ready(); got != http.StatusOK {
		t.Errorf("status %d, want 200", got)
	}
	p.Stop()
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("without its data: status %d, want 503", got)
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	d := p.Create(devservertest.ImageRequest("chat", object{"secrets": []any{object{"name": "A", "value": "hush"}}}))
	p.Do(http.MethodGet, "/api-host/v2/deployments?limit=5", nil).Want(200)
	p.Do(http.MethodGet, "/nowhere", nil).Want(404)
	p.Do(http.MethodGet, "/healthz", nil).Want(200)
	type seen struct {
		Method, Path, Query string
		Status              int
	}
	var got []seen
	p.As("X-Tenant-Id", "nobody").Do(http.MethodGet, "/v2/deployments", nil).Want(422)
	p.As("X-Tenant-Id", "nobody").Do(http.MethodGet, "/nowhere", nil).Want(404)
	listed := p.Recorded()
	if listed.Without != 2 {
		t.Errorf("%d requests of no workspace, want 2", listed.Without)
	}
	for _, r := range listed.Requests {
		got = append(got, seen{r.Method, r.Path, r.Query, r.Status})
	}
	want := []seen{
		{"POST", "/v2/deployments", "", 201},
		{"GET", "/v2/deployments", "limit=5", 200},
		{"GET", "/nowhere", "", 404},
	}
	devservertest.Same(t, "requests of the workspace", want, got)
	all := p.Requests()
	if len(all) != 3 || all[2].Path != "/nowhere" {
		t.Errorf("requests of all workspaces = %+v, want 3, the last for /nowhere", all)
	}
	if body := string(all[0].Body); !strings.Contains(body, `"value":"***"`) || strings.Contains(body, "hush") {
		t.Errorf("recorded body = %s, want the secret masked", body)
	}
	if all[0].ID == "" || d.ID == "" {
		t.Error("the recorded request or the deployment has no ID")
	}
}

// TestOpenAPI compares the description with the published paths, which it has, and with the routes.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../providertest/testdata/langsmith.openapi.json")
	devservertest.Must(t, err)
	type paths struct {
		OpenAPI string                    `json:"openapi"`
		Info    any                       `json:"info"`
		Paths   map[string]map[string]any `json:"paths"`
	}
	var published paths
	devservertest.Must(t, json.Unmarshal(text, &published))
	p := devservertest.New(t, devserver.Config{Dialect: api.LangSmith})
	described := devservertest.Get[paths](p, "/openapi.json")
	devservertest.Same(t, "below the prefix", described, devservertest.Get[paths](p, "/api-host/openapi.json"))
	for path, item := range published.Paths {
		path = strings.Replace(path, "{project_id}", "{deployment_id}", 1)
		for method := range item {
			if described.Paths[path][method] == nil {
				t.Errorf("%s %s isn't described", method, path)
			}
		}
	}
	if run := described.Paths["/api/v1/runs/{run_id}"]; len(run) != 2 || described.OpenAPI != "3.1.0" {
		t.Errorf("runs are described as %v in version %s, want GET and PATCH in 3.1.0", run, described.OpenAPI)
	}
	neutral := devservertest.Get[paths](devservertest.New(t, devserver.Config{}), "/openapi.json")
	if neutral.Paths["/v2/deployments/{deployment_id}/upload-url"] != nil || neutral.Paths["/v1/integrations/git_host/install"] == nil {
		t.Errorf("the neutral dialect has the paths of LangSmith: %v", slices.Sorted(maps.Keys(neutral.Paths)))
	}
}

// TestElsewhere_paths requests what only other services have, at paths that look like those of a run.
func TestElsewhere_paths(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for request, status := range map[string]int{
		"GET /api/v1/runs/rules": 404, "POST /api/v1/runs/rules": 404, "DELETE /api/v1/runs/rules/" + devservertest.WorkspaceA: 404,
		"GET /runs/rules": 404, "POST /v2/sql/query": 404, "GET /api/v1/agents": 404, "POST /v1/platform/alerts/" + devservertest.WorkspaceA: 404,
		"GET /api/v1/runs/abc": 422, "GET /runs/abc": 422,
	} {
		method, path, _ := strings.Cut(request, " ")
		r := p.Do(method, path, object{}).Want(status)
		if named := strings.Contains(string(r.Body), "What the dev server doesn't have"); named != (status == 404) {
			t.Errorf("%s: %s", request, r.Body)
		}
	}
}
