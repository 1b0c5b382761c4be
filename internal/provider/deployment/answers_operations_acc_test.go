package deployment_test

import (
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

func listenerConfig(*providertest.Plane) map[string]any {
	return map[string]any{"compute_id": "tf-acc-answers", "compute_config": map[string]any{"k8s_namespaces": []string{"agents"}}}
}

func oauthProviderConfig(*providertest.Plane) map[string]any {
	return map[string]any{
		"provider_id": "tf-acc-answers", "name": "Calendar", "client_id": "client-1", "client_secret": canary,
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}
}

func modelPriceConfig(*providertest.Plane) map[string]any {
	return map[string]any{"name": "tf-acc-answers", "match_pattern": "^example$", "prompt_cost": "0.000002", "completion_cost": "0.000003"}
}

func driverConfig(plane *providertest.Plane) map[string]any { return imageConfig(plane, nil) }

// deployed returns the ID of a running deployment.
func deployed(t *testing.T, plane *providertest.Plane) string {
	t.Helper()
	return drive(t, plane).made(kept{}, imageConfig(plane, nil)).text("id")
}

// traced returns the ID of a tracing project with a run.
func traced(t *testing.T, plane *providertest.Plane) string {
	t.Helper()
	plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": []any{map[string]any{
		"id": "aaaaaaaa-1111-4000-8000-000000000000", "name": "chat", "run_type": "llm", "session_name": "chat",
		"inputs": map[string]any{"prompt": "Hi"}, "start_time": "2026-01-02T03:00:00Z", "end_time": "2026-01-02T03:00:01Z",
	}}}, nil)
	var projects []api.TracingProject
	plane.Call(http.MethodGet, "/api/v1/sessions?name=chat", nil, &projects)
	return projects[0].ID
}

// operations are all operations of the provider, by request.
var operations = map[string]operation{
	"create deployment": resourceOperation(driven, "create", `Cannot create deployment "tf-acc-driven"`, creation, driverConfig, nil),
	"read deployment":   resourceOperation(driven, "read", `Cannot read deployment "tf-acc-driven"`, reading, driverConfig, nil),
	"change deployment": resourceOperation(driven, "update", `Cannot update deployment "tf-acc-driven"`, changing, driverConfig,
		map[string]any{"source_revision_config": image("2.0.0")}),
	"delete deployment": resourceOperation(driven, "delete", `Cannot delete deployment "tf-acc-driven"`, deletion, driverConfig, nil),

	"create listener": resourceOperation("agentplane_listener", "create", `Cannot create listener "tf-acc-answers"`, "POST /v2/listeners", listenerConfig, nil),
	"read listener":   resourceOperation("agentplane_listener", "read", `Cannot read listener "tf-acc-answers"`, "GET /v2/listeners/*", listenerConfig, nil),
	"change listener": resourceOperation("agentplane_listener", "update", `Cannot update listener "tf-acc-answers"`, "PATCH /v2/listeners/*", listenerConfig,
		map[string]any{"version": "2"}),
	"delete listener": resourceOperation("agentplane_listener", "delete", `Cannot delete listener "tf-acc-answers"`, "DELETE /v2/listeners/*", listenerConfig, nil),

	"create OAuth provider": resourceOperation("agentplane_oauth_provider", "create", `Cannot create OAuth provider "tf-acc-answers"`, "POST /v2/auth/providers", oauthProviderConfig, nil),
	"read OAuth provider":   resourceOperation("agentplane_oauth_provider", "read", `Cannot read OAuth provider "tf-acc-answers"`, "GET /v2/auth/providers/*", oauthProviderConfig, nil),
	"change OAuth provider": resourceOperation("agentplane_oauth_provider", "update", `Cannot update OAuth provider "tf-acc-answers"`, "PATCH /v2/auth/providers/*", oauthProviderConfig,
		map[string]any{"name": "Other"}),
	"delete OAuth provider": resourceOperation("agentplane_oauth_provider", "delete", `Cannot delete OAuth provider "tf-acc-answers"`, "DELETE /v2/auth/providers/*", oauthProviderConfig, nil),

	"create model price": resourceOperation("agentplane_model_price", "create", `Cannot create model price "tf-acc-answers"`, "POST /api/v1/model-price-map", modelPriceConfig, nil),
	"read model price":   resourceOperation("agentplane_model_price", "read in list", `Cannot read model price "tf-acc-answers"`, "GET /api/v1/model-price-map", modelPriceConfig, nil),
	"change model price": resourceOperation("agentplane_model_price", "update", `Cannot update model price "tf-acc-answers"`, "PUT /api/v1/model-price-map/*", modelPriceConfig,
		map[string]any{"prompt_cost": "0.000005"}),
	"delete model price": resourceOperation("agentplane_model_price", "delete", `Cannot delete model price "tf-acc-answers"`, "DELETE /api/v1/model-price-map/*", modelPriceConfig, nil),

	"look up deployment": lookOperation("look", driven, "Cannot read deployment", reading, func(t *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"id": deployed(t, plane)}
	}),
	"find deployment": lookOperation("find", driven, "Cannot read deployment", listing, func(t *testing.T, plane *providertest.Plane) map[string]any {
		deployed(t, plane)
		return map[string]any{"name": "tf-acc-driven"}
	}),
	"list deployments": lookOperation("list", "agentplane_deployments", "Cannot list deployments", listing, func(t *testing.T, plane *providertest.Plane) map[string]any {
		deployed(t, plane)
		return map[string]any{}
	}),
	"look up revision": lookOperation("look", "agentplane_deployment_revision", "Cannot read revision", polling, func(t *testing.T, plane *providertest.Plane) map[string]any {
		d := drive(t, plane)
		now := d.made(kept{}, imageConfig(plane, nil))
		return map[string]any{"deployment_id": now.text("id"), "id": now.text("latest_revision_id")}
	}),
	"list revisions": lookOperation("list", "agentplane_deployment_revisions", "Cannot list revisions", "GET /v2/deployments/*/revisions", func(t *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"deployment_id": deployed(t, plane)}
	}),
	"read log": lookOperation("look", "agentplane_deployment_revision_logs", "Cannot read log", "GET /v2/deployments/*/revisions/*/logs", func(t *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"deployment_id": deployed(t, plane), "type": "deploy"}
	}),
	"look up listener": lookOperation("look", "agentplane_listener", "Cannot read listener", "GET /v2/listeners/*", func(_ *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"id": plane.ListenerID}
	}),
	"list listeners": lookOperation("list", "agentplane_listeners", "Cannot list listeners", "GET /v2/listeners", func(*testing.T, *providertest.Plane) map[string]any {
		return map[string]any{}
	}),
	"look up OAuth provider": lookOperation("look", "agentplane_oauth_provider", `Cannot read OAuth provider "tf-acc-answers"`, "GET /v2/auth/providers/*", func(_ *testing.T, plane *providertest.Plane) map[string]any {
		plane.Call(http.MethodPost, "/v2/auth/providers", oauthProviderConfig(plane), nil)
		return map[string]any{"provider_id": "tf-acc-answers"}
	}),
	"list OAuth providers": lookOperation("list", "agentplane_oauth_providers", "Cannot list OAuth providers", "GET /v2/auth/providers", func(_ *testing.T, plane *providertest.Plane) map[string]any {
		plane.Call(http.MethodPost, "/v2/auth/providers", oauthProviderConfig(plane), nil)
		return map[string]any{}
	}),
	"list model prices": lookOperation("list", "agentplane_model_prices", "Cannot list model prices", "GET /api/v1/model-price-map", func(_ *testing.T, plane *providertest.Plane) map[string]any {
		plane.Call(http.MethodPost, "/api/v1/model-price-map", modelPriceConfig(plane), nil)
		return map[string]any{}
	}),
	"list tracing projects": lookOperation("list", "agentplane_tracing_projects", "Cannot list tracing projects", "GET /api/v1/sessions", func(t *testing.T, plane *providertest.Plane) map[string]any {
		traced(t, plane)
		return map[string]any{}
	}),
	"list integrations": lookOperation("list", "agentplane_integrations", "Cannot list integrations", "GET /v1/integrations/git_host/install", func(*testing.T, *providertest.Plane) map[string]any {
		return map[string]any{}
	}),
	"find integration": lookOperation("find", "agentplane_integration", "Cannot read integration", "GET /v1/integrations/git_host/install", func(_ *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"id": plane.IntegrationID}
	}),
	"list repositories": lookOperation("list", "agentplane_integration_repositories", "Cannot list repositories", "GET /v1/integrations/git_host/*/repos", func(_ *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"integration_id": plane.IntegrationID}
	}),
	"look up tracing project": lookOperation("look", "agentplane_tracing_project", "Cannot read tracing project", "GET /api/v1/sessions/*", func(t *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"id": traced(t, plane)}
	}),
	"find tracing project": lookOperation("find", "agentplane_tracing_project", "Cannot read tracing project", "GET /api/v1/sessions", func(t *testing.T, plane *providertest.Plane) map[string]any {
		traced(t, plane)
		return map[string]any{"name": "chat"}
	}),
	"measure tracing project": lookOperation("statistics", "agentplane_tracing_project", "Cannot read the statistics of the tracing project", "POST /api/v1/runs/stats", func(t *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"id": traced(t, plane), "statistics_window": "24h"}
	}),
	"list runs of named project": lookOperation("find", "agentplane_runs", "Cannot read tracing project", "GET /api/v1/sessions", func(t *testing.T, plane *providertest.Plane) map[string]any {
		traced(t, plane)
		return map[string]any{"project_name": "chat"}
	}),
	"list runs of deployment": lookOperation("look", "agentplane_runs", "Cannot read the deployment of the tracing project", reading, func(t *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"deployment_id": deployed(t, plane)}
	}),
	"list runs with contents": lookOperation("runs", "agentplane_runs", "Cannot read runs", "POST /api/v2/runs/query", func(t *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"project_id": traced(t, plane), "include_content": true}
	}),
	"look up tracing project of deployment": lookOperation("look", "agentplane_tracing_project", "Cannot read the deployment of the tracing project", reading, func(t *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"deployment_id": deployed(t, plane)}
	}),
	"list runs": lookOperation("runs", "agentplane_runs", "Cannot read runs", "POST /api/v2/runs/query", func(t *testing.T, plane *providertest.Plane) map[string]any {
		return map[string]any{"project_id": traced(t, plane)}
	}),
}
