package providertest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccGuide_langsmith applies what the guide shows to a service of that dialect: in the cloud, self-hosted, and after
// the vendor's provider.
func TestAccGuide_langsmith(t *testing.T) {
	t.Parallel()
	blocks := markedBlocks(t, "templates/guides/langsmith.md", 5)
	// The test's provider is configured by its environment: a region would lead to the real one.
	cloud, selfHosted := withoutBlock(t, blocks[0], `provider "agentplane"`), withoutBlock(t, blocks[1], `provider "agentplane"`)
	// Tests with a provider that plays the vendor's move by this block, and forget by the next one.
	for i, test := range []string{"move_after", "move_removed"} {
		if !strings.Contains(readText(t, filepath.Join(root, "internal", "provider", "deployment", "testdata", test, "main.tf")), blocks[2+i]) {
			t.Errorf("no test applies\n%s", blocks[2+i])
		}
	}
	block := blocks[4]
	const address = "agentplane_deployment.support"
	start := func(t *testing.T) *providertest.Plane {
		t.Helper()
		return providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Dialect = api.LangSmith })
	}
	again := func(configuration string, variables config.Variables) resource.TestStep {
		return resource.TestStep{Config: configuration, ConfigVariables: variables, ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		}}
	}
	t.Run("cloud", func(t *testing.T) {
		t.Parallel()
		plane := start(t)
		var acme struct {
			ID string `json:"id"`
		}
		plane.Call("POST", "/dev/integrations", map[string]any{"name": "acme", "repositories": []map[string]any{
			{"name": "support-agent", "url": "https://github.com/acme/support-agent"},
		}}, &acme)
		variables := config.Variables{"integration_id": config.StringVariable(acme.ID)}
		providertest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
			Steps: []resource.TestStep{{Config: cloud, ConfigVariables: variables}, again(cloud, variables)},
		})
	})
	t.Run("self-hosted", func(t *testing.T) {
		t.Parallel()
		plane := start(t)
		providertest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
			Steps: []resource.TestStep{{Config: selfHosted}, again(selfHosted, nil)},
		})
	})
	t.Run("imported", func(t *testing.T) {
		t.Parallel()
		plane := start(t)
		plane.Call("POST", "/v2/deployments", map[string]any{
			"name": "support-agent", "source": "external_container", "secrets": []any{},
			"source_config": map[string]any{
				"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": "agents"}, "resource_spec": map[string]any{"cpu": 2},
			},
			"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/support:1.4.0"},
		}, nil)
		plane.Clock.Advance(providertest.Rollout)
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
			Steps: []resource.TestStep{
				{Config: selfHosted + block, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate), // Only what is configured is recorded.
				}}},
				again(selfHosted, nil),
			},
		})
		if sent := len(plane.Requests("POST", "/v2/deployments")) + len(plane.Requests("PATCH", "/v2/deployments/*")); sent != 1 {
			t.Errorf("%d writes were sent, want only the one that made the deployment", sent)
		}
	})
}
