package deployment_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// shownBlocks are the import block and the configuration on a deployment's page.
var shownBlocks = regexp.MustCompile(`(?s)data-copy="copy">(import \{.*?)</pre>`)

// shownOn returns the configuration on the page of a deployment.
func shownOn(t *testing.T, plane *providertest.Plane, id string) string {
	t.Helper()
	return shown(t, plane, "/ui/deployments/"+id, shownBlocks)
}

// shown returns what a pattern finds on a page.
func shown(t *testing.T, plane *providertest.Plane, path string, pattern *regexp.Regexp) string {
	t.Helper()
	page := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, plane.URL+path, http.NoBody)
	request.SetBasicAuth("anybody", providertest.APIKey)
	plane.Server.ServeHTTP(page, request)
	found := pattern.FindStringSubmatch(page.Body.String())
	if found == nil {
		t.Fatalf("the page shows no configuration: status %d", page.Code)
	}
	return html.UnescapeString(found[1])
}

// TestAccPage_firstDeployment applies what the page of an empty server shows.
func TestAccPage_firstDeployment(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	example := shown(t, plane, "/ui/deployments", regexp.MustCompile(`(?s)data-copy="copy">(terraform \{.*?)</pre>`))
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), Steps: []resource.TestStep{{Config: example}},
	})
}

// everySpec is a resource_spec with every field.
func everySpec(t *testing.T) (spec map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(golden(t, "create")), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// TestAccPage_configuration imports deployments that others have made, with the blocks that their pages show: nothing is changed.
func TestAccPage_configuration(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		made := func(body map[string]any) string {
			var created api.Deployment
			body["secrets"] = []any{}
			plane.Call(http.MethodPost, "/v2/deployments", body, &created)
			return created.ID
		}
		repository := func(name, ref string, push bool) string {
			return made(map[string]any{
				"name": name, "source": "git_host", "source_revision_config": map[string]any{"repo_ref": ref, "graph_config_path": "graph.json"},
				"source_config": map[string]any{
					"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/example-org/chat", "deployment_type": "dev",
					"build_on_push": push, "install_command": "npm ci", "build_command": "npm run build",
				},
			})
		}
		ids := map[string]string{
			"image":   makeDeployment(plane, "tf-acc-image", nil, []map[string]string{{"name": "TOKEN", "value": "canary"}}),
			"every":   makeDeployment(plane, "tf-acc-every", map[string]any{"custom_url": "https://chat.example.com", "resource_spec": everySpec(t)}, nil),
			"changed": makeDeployment(plane, "tf-acc-changed", map[string]any{"resource_spec": map[string]any{"cpu": 1, "memory_mb": 1024}}, nil),
			"branch":  repository("tf-acc-branch", "main", true), "tag": repository("tf-acc-tag", "refs/tags/v1.0.0", false),
		}
		plane.Call(http.MethodPatch, "/v2/deployments/"+ids["changed"], map[string]any{ // Of its limits, the service derives all but one.
			"source_config": map[string]any{"resource_spec": map[string]any{"cpu": 2, "memory_mb": 2048, "cpu_limit": 4, "memory_limit_mb": 3000}},
		}, nil)
		if plane.Dialect() != api.Neutral {
			ids["langsmith"] = made(map[string]any{
				"name": "tf-acc-langsmith", "source": "external_container", "shareable": true, "route_through_gateway": true,
				"source_config":          plane.SourceConfig(api.SourceExternalContainer, map[string]any{"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace}}),
				"source_revision_config": image("1.0.0"),
				"secret_references":      []any{map[string]any{"name": "DB-PASSWORD", "secret_name": "agent", "secret_key": "password"}},
			})
			plane.Call(http.MethodPatch, "/v2/deployments/"+ids["langsmith"], map[string]any{"display_name": "Chat ${agent}"}, nil)
		}
		plane.Clock.Advance(providertest.Rollout)
		s, directory := spyOn(t, plane, nil), t.TempDir()
		shown := resource.TestStep{
			ConfigDirectory: config.StaticDirectory(directory), Check: s.expectWrites(0, 0),
			ConfigVariables: config.Variables{"verbose": config.StringVariable("1"), "mode": config.StringVariable("plain")},
		}
		for name, id := range ids {
			if err := os.WriteFile(filepath.Join(directory, name+".tf"), []byte(shownOn(t, plane, id)), 0o600); err != nil {
				t.Fatal(err)
			}
			shown.ConfigPlanChecks.PreApply = append(shown.ConfigPlanChecks.PreApply,
				plancheck.ExpectResourceAction("agentplane_deployment.tf_acc_"+name, plancheck.ResourceActionNoop))
		}
		resource.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{shown},
			TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_5_0)}, // Import blocks.
		})
	})
}
