package providertest_test

import (
	"maps"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// Configurations of what was captured.
var (
	capturedGitHost = object{
		"name": "support-agent", "source": "git_host",
		"source_config": object{
			"integration_id": integrationID, "repo_url": "https://github.com/acme/support-agent", "deployment_type": "prod", "build_on_push": true,
		},
		"source_revision_config": object{"repo_ref": "main", "graph_config_path": "langgraph.json"},
	}
	capturedListener = object{
		"compute_type": "k8s", "compute_id": "production", "version": "0.1.0", "compute_config": object{"k8s_namespaces": []any{"agents", "agents-staging"}},
	}
	capturedLogin = object{
		"provider_id": "calendar", "name": "Calendar", "client_id": "agents", "auth_url": "https://login.example.com/authorize",
		"token_url": "https://login.example.com/token",
	}
)

func capturedContainer(listenerConfig any) object {
	return object{
		"name": "research-agent", "source": "external_container",
		"source_config": object{
			"listener_id": listenerID, "listener_config": listenerConfig, "custom_url": "https://research-agent.agents.example.com",
		},
		"source_revision_config": object{"image_uri": "registry.example.com/agents/research:1.4.0"},
	}
}

// TestAccCaptured_plansEmpty brings what was captured under management, by creating or by importing it, and expects
// nothing left to change: defaults, resolved references and settings that are not echoed are no drift.
func TestAccCaptured_plansEmpty(t *testing.T) {
	t.Parallel()
	const deployment, listener, login = "agentplane_deployment", "agentplane_listener", "agentplane_oauth_provider"
	inNamespace := capturedContainer(object{"k8s_namespace": "agents"})
	tests := map[string]struct {
		typeName string
		config   object
		answers  map[string]answer
		// importID is what to import; empty creates.
		importID string
	}{
		"created git_host":           {typeName: deployment, config: capturedGitHost, answers: map[string]answer{"POST /v2/deployments": {201, "deployment_github"}}},
		"created external_container": {typeName: deployment, config: inNamespace},
		"created external_container of 2026-05": {
			typeName: deployment, config: inNamespace, answers: map[string]answer{
				"POST /v2/deployments":               {201, "deployment_2026_05"},
				"GET /v2/deployments/" + containerID: {200, "deployment_2026_05"},
			},
		},
		"created listener": {typeName: listener, config: capturedListener, answers: map[string]answer{
			"POST /v2/listeners": {201, "listener"}, "GET /v2/listeners": {200, "deployments_list_empty"},
		}},
		"created oauth_provider": {typeName: login, config: capturedLogin, answers: map[string]answer{
			"POST /v2/auth/providers": {200, "oauth_provider"}, "GET /v2/auth/providers": {200, "oauth_providers_empty"},
		}},

		"imported git_host":           {typeName: deployment, config: capturedGitHost, importID: gitHostID},
		"imported external_container": {typeName: deployment, config: capturedContainer(nil), importID: containerID},
		"imported external_container of 2026-05": {
			typeName: deployment, config: inNamespace, importID: containerID,
			answers: map[string]answer{"GET /v2/deployments/" + containerID: {200, "deployment_2026_05"}},
		},
		"imported listener":       {typeName: listener, config: capturedListener, importID: listenerID},
		"imported oauth_provider": {typeName: login, config: capturedLogin, importID: "calendar"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The name is free, and nothing uses the listener.
			answers := map[string]answer{"GET /v2/deployments": {200, "deployments_list_empty"}}
			maps.Copy(answers, test.answers)
			d := providertest.NewFrom(t, api.LangSmith, recorded(t, answers)).Follow(t, test.typeName)
			if test.importID == "" {
				d.Make(test.config)
			} else if !d.Import(test.importID) {
				t.Fatal(providertest.Told(d.Diags))
			}
			for _, refreshed := range []bool{false, true} {
				if planned, told := d.PlanOnly(test.config); !planned.Empty() || told != "" {
					t.Errorf("after a refresh: %t, the plan is %s: %s", refreshed, planned, told)
				}
				d.Refresh()
			}
			d.Apply(nil)
		})
	}
}
