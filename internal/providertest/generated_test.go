package providertest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccGenerated_next lists objects of every list resource, that were made without Terraform, and takes them over with the configuration
// that the CLI generates: once it has the required write-only values, it is valid, and plans nothing but imports. The version that comes
// with a write-only value is nothing that the service has: the state records it, which sends nothing.
func TestAccGenerated_next(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t, quick)
		c := startCLI(t, plane)
		c.needsTerraform(14)
		c.offer("0.1.0")
		for i := range 6 {
			madeByHand(plane, i)
		}
		connected(plane)
		label(plane)
		plane.Call("POST", "/v2/auth/agents/assistant/providers/calendar/tokens", map[string]any{"access_token": "the-agents-own-token"}, nil)
		priced(plane)
		c.write("terraform.tf", "terraform {\n  required_providers {\n    agentplane = { source = \"agentplane/agentplane\" }\n  }\n}\n")
		c.run(0, "init")
		directories, err := os.ReadDir(filepath.Join(root, "examples", "list-resources"))
		if err != nil {
			t.Fatal(err)
		}
		for _, directory := range directories {
			t.Run(directory.Name(), func(t *testing.T) {
				config := ""
				if strings.HasPrefix(directory.Name(), "agentplane_agent_") {
					config = "\n  config {\n    agent_id = \"assistant\"\n  }\n"
				}
				query := fmt.Sprintf("list %q \"all\" {\n  provider = agentplane%s\n}\n", directory.Name(), config)
				generated := c.adopting(t, query)
				c.write("generated.tf", filled(generated))
				output, _ := c.command("plan", "-input=false").CombinedOutput()
				told := string(output)
				if !adopts.MatchString(told) || slices.ContainsFunc(changed.FindAllStringSubmatch(told, -1), func(found []string) bool {
					return found[1] != "tokens_wo_version"
				}) {
					t.Errorf("%s\n%s", told, generated)
				}
				_ = os.Remove(filepath.Join(c.directory, "generated.tf"))
			})
		}
	})
}

// label gives the user's tokens a label.
func label(plane *providertest.Plane) {
	var tokens []struct {
		ID string `json:"id"`
	}
	plane.Call("GET", "/v2/auth/tokens", nil, &tokens)
	plane.Call("PATCH", "/v2/auth/tokens/"+tokens[0].ID+"/metadata", map[string]any{"provider_account_label": "work"}, nil)
}

// adopting returns the configuration of what a query finds.
func (c *cli) adopting(t *testing.T, query string) string {
	t.Helper()
	c.write("all.tfquery.hcl", query)
	c.run(0, "query", "-generate-config-out=out.tf")
	text := readText(t, filepath.Join(c.directory, "out.tf"))
	_ = os.Remove(filepath.Join(c.directory, "out.tf"))
	return text
}

// filled is a generated configuration with the write-only values that a user has to add.
func filled(generated string) string {
	generated = regexp.MustCompile(`(access_token_wo +=) null`).ReplaceAllString(generated, `$1 "filled in"`)
	return regexp.MustCompile(`(tokens_wo_version +=) null`).ReplaceAllString(generated, `$1 1`)
}

// adopts matches a plan that imports and destroys nothing, and changed an argument that it changes.
var (
	adopts  = regexp.MustCompile(`Plan: [1-9]\d* to import, 0 to add, \d+ to change, 0 to destroy\.`)
	changed = regexp.MustCompile(`(?m)^ +[-+~] +(\w+) +=`)
)

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
