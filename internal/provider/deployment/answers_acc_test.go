package deployment_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// instead returns the same text for every response.
func instead(text string) func(string) string { return func(string) string { return text } }

// member replaces the value of each member with this name.
func member(name, value string) func(string) string {
	return func(right string) string {
		return regexp.MustCompile(`"`+name+`":("[^"]*"|[0-9]+)`).ReplaceAllString(right, `"`+name+`":`+value)
	}
}

// wrongAnswers are what a service, or something in front of it, may answer instead of a right response, which each is made of.
var wrongAnswers = map[string]func(right string) string{
	"nothing":          instead(""),
	"a page":           instead("<!doctype html><title>Welcome</title>"),
	"half of it":       func(right string) string { return right[:len(right)/2] },
	"null":             instead("null"),
	"a text":           instead(`"ok"`),
	"an empty object":  instead("{}"),
	"a list in a list": func(right string) string { return "[[" + right + "]]" },
	"an error":         instead(`{"error": "upstream failed", "detail": "Bad gateway"}`),
	"deep":             instead(strings.Repeat("[", 100_000)),
	"more after it":    func(right string) string { return right + `{"detail": "Internal error"}` },
	"id: a number":     member("id", "17"),
	"id: null":         member("id", "null"),
	"name: a number":   member("name", "17"),
}

// look reads a data source with the configuration from prepare. The error of a wrong response to the request begins with summary.
type look struct {
	typeName, summary, request string
	prepare                    func(*testing.T, *providertest.Plane) map[string]any
}

// given prepares nothing.
func given(config map[string]any) func(*testing.T, *providertest.Plane) map[string]any {
	return func(*testing.T, *providertest.Plane) map[string]any { return config }
}

// ofDeployment returns a configuration with the ID of a running deployment, unless the argument is empty, and other arguments.
func ofDeployment(argument string, more map[string]any) func(*testing.T, *providertest.Plane) map[string]any {
	return func(_ *testing.T, plane *providertest.Plane) map[string]any {
		config := with(map[string]any{argument: makeDeployment(plane, "tf-acc-driven", nil, nil)}, more)
		delete(config, "")
		return config
	}
}

// ofProject does the same with a tracing project that has a run.
func ofProject(argument string, more map[string]any) func(*testing.T, *providertest.Plane) map[string]any {
	return func(_ *testing.T, plane *providertest.Plane) map[string]any {
		plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": []any{map[string]any{
			"id": "aaaaaaaa-1111-4000-8000-000000000000", "name": "chat", "run_type": "llm", "session_name": "chat",
			"inputs": map[string]any{"prompt": "Hi"}, "start_time": "2026-01-02T03:00:00Z", "end_time": "2026-01-02T03:00:01Z",
		}}}, nil)
		var projects []api.TracingProject
		plane.Call(http.MethodGet, "/api/v1/sessions?name=chat", nil, &projects)
		config := with(map[string]any{argument: projects[0].ID}, more)
		delete(config, "")
		return config
	}
}

// looks are the data sources that aren't of a row in the table of providertest, and those of deployments.
var looks = map[string]look{
	"deployment":          {driven, "Cannot read deployment", reading, ofDeployment("id", nil)},
	"deployment by name":  {driven, "Cannot read deployment", listing, ofDeployment("", map[string]any{"name": "tf-acc-driven"})},
	"deployments":         {"agentplane_deployments", "Cannot list deployments", listing, ofDeployment("", nil)},
	"revisions":           {"agentplane_deployment_revisions", "Cannot list revisions", "GET /v2/deployments/*/revisions", ofDeployment("deployment_id", nil)},
	"log":                 {"agentplane_deployment_revision_logs", "Cannot read log", "GET /v2/deployments/*/revisions/*/logs", ofDeployment("deployment_id", map[string]any{"type": "deploy"})},
	"integrations":        {"agentplane_integrations", "Cannot list integrations", "GET /v1/integrations/git_host/install", given(map[string]any{})},
	"tracing project":     {"agentplane_tracing_project", "Cannot read tracing project", "GET /api/v1/sessions/*", ofProject("id", nil)},
	"projects":            {"agentplane_tracing_projects", "Cannot list tracing projects", "GET /api/v1/sessions", ofProject("", nil)},
	"project by name":     {"agentplane_tracing_project", "Cannot read tracing project", "GET /api/v1/sessions", ofProject("", map[string]any{"name": "chat"})},
	"statistics":          {"agentplane_tracing_project", "Cannot read the statistics of the tracing project", "POST /api/v1/runs/stats", ofProject("id", map[string]any{"statistics_window": "24h"})},
	"project of runs":     {"agentplane_runs", "Cannot read tracing project", "GET /api/v1/sessions", ofProject("", map[string]any{"project_name": "chat"})},
	"deployment of runs":  {"agentplane_runs", "Cannot read the deployment of the tracing project", reading, ofDeployment("deployment_id", nil)},
	"deployment, project": {"agentplane_tracing_project", "Cannot read the deployment of the tracing project", reading, ofDeployment("deployment_id", nil)},
	"runs":                {"agentplane_runs", "Cannot read runs", "POST /api/v2/runs/query", ofProject("project_id", nil)},
	"repositories": {"agentplane_integration_repositories", "Cannot list repositories", "GET /v1/integrations/git_host/*/repos", func(_ *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"integration_id": plane.IntegrationID}
	}},
	"integration": {"agentplane_integration", "Cannot read integration", "GET /v1/integrations/git_host/install", func(_ *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"id": plane.IntegrationID}
	}},
}

// remedy matches a text with a next step.
var remedy = regexp.MustCompile(`(?i)\b(apply again|plan again|check (base_url|tracing_url|api_key|workspace_id|that|the )|lists the existing ones|import it|report it|correct the|compare it|look at|set |make sure|raise )`)

// TestAccAnswers gives each wrong response to each data source: one error names the operation and the next step.
func TestAccAnswers(t *testing.T) {
	t.Parallel()
	for name, of := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, unlagged)
			plane.Setenv("AGENTPLANE_MAX_RETRIES", "1")
			config := of.prepare(t, plane)
			g := gateTo(t, plane)
			for kind, change := range wrongAnswers {
				g.reset()
				changed := false
				g.when(plane.Dialect().Path(of.request), -1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
					right := httptest.NewRecorder()
					pass.ServeHTTP(right, r)
					body := change(right.Body.String())
					changed = body != right.Body.String()
					write(w, right.Code, body, "Content-Type", right.Header().Get("Content-Type"))
				})
				_, diags := drive(t, plane).look(of.typeName, config)
				switch text := told(diags); {
				case !changed || name == "repositories" && kind == "id: a number" || name == "log" && kind == "id: null": // Theirs are numbers, or unused.
					if len(diags) > 0 {
						t.Errorf("%s: diagnostics = %s, want none", kind, text)
					}
				case len(diags) != 1 || !hasError(diags) || !strings.Contains(text, of.summary) && !strings.Contains(diags[0].Summary, "not found"):
					t.Errorf("%s: diagnostics = %s, want one error: %s", kind, text, of.summary)
				case !remedy.MatchString(diags[0].Detail) || len(text) > 2000:
					t.Errorf("%s: the error has no next step, or is too long: %s", kind, text)
				}
			}
			if g.count(plane.Dialect().Path(of.request)) == 0 {
				t.Errorf("%s wasn't requested, but %q", of.request, g.seen)
			}
		})
	}
}
