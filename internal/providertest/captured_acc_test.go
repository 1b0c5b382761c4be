package providertest_test

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccCaptured_plansEmpty brings what was captured under management, by creating or by importing it, and expects
// nothing left to change: defaults, resolved references and settings that are not echoed are no drift.
func TestAccCaptured_plansEmpty(t *testing.T) {
	t.Parallel()
	namespace := config.Variables{"listener_config": config.ObjectVariable(map[string]config.Variable{
		"k8s_namespace": config.StringVariable("agents"),
	})}
	tests := map[string]struct {
		kind      string // Of testdata/captured_…
		variables config.Variables
		answers   map[string]answer
		// importID is what to import; empty creates.
		importID string
	}{
		"created git_host":           {kind: "git_host", answers: map[string]answer{"POST /v2/deployments": {201, "deployment_github"}}},
		"created external_container": {kind: "external_container", variables: namespace},
		"created external_container of 2026-05": {
			kind: "external_container", variables: namespace, answers: map[string]answer{
				"POST /v2/deployments":               {201, "deployment_2026_05"},
				"GET /v2/deployments/" + containerID: {200, "deployment_2026_05"},
			},
		},
		"created listener": {kind: "listener", answers: map[string]answer{
			"POST /v2/listeners": {201, "listener"}, "GET /v2/listeners": {200, "deployments_list_empty"},
		}},
		"created oauth_provider": {kind: "oauth_provider", answers: map[string]answer{
			"POST /v2/auth/providers": {200, "oauth_provider"}, "GET /v2/auth/providers": {200, "oauth_providers_empty"},
		}},

		"imported git_host":           {kind: "git_host", importID: gitHostID},
		"imported external_container": {kind: "external_container", importID: containerID},
		"imported external_container of 2026-05": {
			kind: "external_container", variables: namespace, importID: containerID,
			answers: map[string]answer{"GET /v2/deployments/" + containerID: {200, "deployment_2026_05"}},
		},
		"imported listener":       {kind: "listener", importID: listenerID},
		"imported oauth_provider": {kind: "oauth_provider", importID: "calendar"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The name is free, and nothing uses the listener.
			answers := map[string]answer{"GET /v2/deployments": {200, "deployments_list_empty"}}
			maps.Copy(answers, test.answers)
			plane := providertest.NewFrom(t, api.LangSmith, recorded(t, answers))
			configuration := readText(t, filepath.Join("testdata", "captured_"+test.kind, "main.tf"))
			apply, run := resource.TestStep{Config: configuration, ConfigVariables: test.variables}, providertest.Test
			if test.importID != "" {
				noun := map[string]string{"git_host": "deployment", "external_container": "deployment"}[test.kind]
				if noun == "" {
					noun = test.kind
				}
				apply.Config += "\nimport {\n  to = agentplane_" + noun + ".it\n  id = \"" + test.importID + "\"\n}\n"
				apply.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
				run = func(t *testing.T, c resource.TestCase) { t.Helper(); resource.Test(t, c) } // Core knows no import blocks.
			}
			// After the step, the plan must be empty.
			run(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{apply}})
		})
	}
}
