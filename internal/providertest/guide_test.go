package providertest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// adopted is how many deployments the guide takes over here; every fifth builds a repository.
const adopted = 50

// TestAccGuide_bulkImport follows the guide: deployments that were made by hand are taken over by what it says, and
// neither on the way nor in the end is anything changed.
func TestAccGuide_bulkImport(t *testing.T) {
	t.Parallel()
	guide := openGuide(t, "bulk-import.md")
	c := newCLI(t)
	c.offer("0.1.0")
	c.write("discover.tf", guide.configuration())
	c.shell(guide.shell())
	generate := guide.shell()
	if !c.atLeast(10, 12) { // The guide tells of the errors. The file is there.
		generate = strings.TrimSuffix(generate, "\n") + " || test -s deployments.tf"
	}
	c.shell(generate)
	c.shell(guide.shell())
	if text := readText(t, filepath.Join(c.directory, "deployments.tf")); strings.Contains(text, "= null") || !strings.Contains(text, "workspace_id") {
		t.Errorf("the configuration has null arguments, or no workspaces:\n%.2000s", text)
	}
	c.takesOver(c.shell(guide.shell()), func() {
		c.shell(guide.shell())
		c.shell(`sed '/^  workspace_id/d' deployments.tf >set.tf && mv set.tf deployments.tf`)
	})
	guide.leave(2, "TestAccGuide_query_next")
}

// TestAccGuide_query_next follows the shorter way, where the CLI knows it.
func TestAccGuide_query_next(t *testing.T) {
	t.Parallel()
	guide := openGuide(t, "bulk-import.md")
	c := newCLI(t)
	c.needsTerraform(14)
	c.offer("0.1.0")
	configuration, _, _ := strings.Cut(guide.configuration(), "\ndata ")
	c.write("terraform.tf", configuration)
	c.shell("terraform init")
	guide.leave(5, "TestAccGuide_bulkImport")
	c.write("deployments.tfquery.hcl", guide.configuration())
	c.shell(guide.shell())
	c.takesOver(c.run(0, "apply", "-auto-approve"), func() {})
}

// takesOver expects an apply to have imported everything, and to leave nothing to do once cleaned has run.
func (c *cli) takesOver(told string, clean func()) {
	c.t.Helper()
	if !strings.Contains(told, fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", adopted)) {
		c.t.Errorf("the apply did not import exactly the existing deployments:\n%s", told)
	}
	clean()
	c.run(0, "plan", "-detailed-exitcode")
	posts, patches := c.plane.Requests("POST", "/v2/deployments"), c.plane.Requests("PATCH", "/v2/deployments/*")
	if len(posts) != adopted || len(patches) != 0 {
		c.t.Errorf("%d deployments were made and %d changed", len(posts)-adopted, len(patches))
	}
}

// madeByHand makes a deployment, each a bit different.
func madeByHand(plane *providertest.Plane, i int) {
	body := map[string]any{
		"name": fmt.Sprintf("agent-%d", i), "source": "external_container",
		"source_config": map[string]any{
			"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
			"resource_spec": map[string]any{"cpu": 1 + i%3, "labels": map[string]string{"team": fmt.Sprint(i % 7)}},
		},
		"source_revision_config": map[string]any{"image_uri": fmt.Sprintf("registry.example.com/agents/agent:%d", i)},
		"secrets":                []any{map[string]any{"name": "TOKEN", "value": fmt.Sprintf("canary-%d", i)}},
	}
	if i%5 == 0 {
		body["source"] = "git_host"
		body["source_config"] = map[string]any{
			"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/example-org/chat", "deployment_type": "prod",
			"build_on_push": i%2 == 0,
		}
		body["source_revision_config"] = map[string]any{"repo_ref": "main", "graph_config_path": "graph.json"}
	}
	plane.Call("POST", "/v2/deployments", body, nil)
}

// newCLI builds the provider. It runs in its own process, by the system's clock, so rollouts must take no time.
func newCLI(t *testing.T) *cli {
	t.Helper()
	plane := providertest.NewDev(t, quick)
	for i := range adopted {
		madeByHand(plane, i)
	}
	return startCLI(t, plane)
}
