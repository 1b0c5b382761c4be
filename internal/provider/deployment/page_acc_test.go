package deployment_test

import (
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// shownBlocks are the blocks of the configuration on a deployment's page, after the import block.
var shownBlocks = regexp.MustCompile(`(?s)data-copy="copy">import \{.*?\n\}\n\n(.*?)</pre>`)

// shownOn returns the configuration on the page of a deployment, without the import block.
func shownOn(t *testing.T, plane *providertest.Plane, id string) string {
	t.Helper()
	page := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/ui/deployments/"+id, http.NoBody)
	request.SetBasicAuth("anybody", providertest.APIKey)
	plane.Server.ServeHTTP(page, request)
	found := shownBlocks.FindStringSubmatch(page.Body.String())
	if found == nil {
		t.Fatalf("the page shows no configuration: status %d", page.Code)
	}
	return html.UnescapeString(found[1])
}

// everySpec is a resource_spec with every field.
func everySpec(t *testing.T) (spec map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(golden(t, "create")), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// TestAccPage_configuration imports deployments that others have made, with the configuration that their pages show: the plan is empty.
func TestAccPage_configuration(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		repository := func(ref string, more map[string]any) func(*testing.T, *providertest.Plane) string {
			return func(_ *testing.T, plane *providertest.Plane) string {
				settings := map[string]any{
					"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/example-org/chat", "deployment_type": "dev", "build_on_push": false,
					"install_command": "npm ci", "build_command": "npm run build",
				}
				maps.Copy(settings, more)
				var created api.Deployment
				plane.Call(http.MethodPost, "/v2/deployments", map[string]any{
					"name": "tf-acc-page", "source": "git_host", "secrets": []any{}, "source_config": settings,
					"source_revision_config": map[string]any{"repo_ref": ref, "graph_config_path": "graph.json"},
				}, &created)
				return created.ID
			}
		}
		for name, created := range map[string]func(*testing.T, *providertest.Plane) string{
			"an image": func(_ *testing.T, plane *providertest.Plane) string {
				return makeDeployment(plane, "tf-acc-page", nil, []map[string]string{{"name": "TOKEN", "value": "canary"}})
			},
			"every field of its resources": func(t *testing.T, plane *providertest.Plane) string {
				return makeDeployment(plane, "tf-acc-page", map[string]any{"custom_url": "https://chat.example.com", "resource_spec": everySpec(t)}, nil)
			},
			"what only some dialects have": func(_ *testing.T, plane *providertest.Plane) string {
				if plane.Dialect() == api.Neutral {
					return makeDeployment(plane, "tf-acc-page", nil, nil)
				}
				var created api.Deployment
				plane.Call(http.MethodPost, "/v2/deployments", map[string]any{
					"name": "tf-acc-page", "source": "external_container", "secrets": []any{}, "shareable": true, "route_through_gateway": true,
					"source_config":          plane.SourceConfig(api.SourceExternalContainer, map[string]any{"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace}}),
					"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1.0.0"},
					"secret_references":      []any{map[string]any{"name": "DB-PASSWORD", "secret_name": "agent", "secret_key": "password"}},
				}, &created)
				plane.Clock.Advance(providertest.Rollout)
				plane.Call(http.MethodPatch, "/v2/deployments/"+created.ID, map[string]any{"display_name": "Chat ${agent}"}, nil)
				return created.ID
			},
			"a branch": repository("main", map[string]any{"build_on_push": true}),
			"a tag":    repository("refs/tags/v1.0.0", nil),
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				id := created(t, plane)
				plane.Clock.Advance(providertest.Rollout)
				directory := t.TempDir()
				if err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(shownOn(t, plane, id)), 0o600); err != nil {
					t.Fatal(err)
				}
				s := spyOn(t, plane, nil)
				matching := resource.TestStep{
					ConfigDirectory: config.StaticDirectory(directory),
					ConfigVariables: config.Variables{"verbose": config.StringVariable("1"), "mode": config.StringVariable("plain")},
					Check:           s.expectWrites(0, 0),
				}
				matching.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
				at := importing(matching, id)
				at.ResourceName = "agentplane_deployment.tf_acc_page"
				run(t, plane, at, matching)
			})
		}
	})
}
