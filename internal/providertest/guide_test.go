package providertest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// adopted is how many deployments the guide takes over here; every fifth builds a repository.
const adopted = 50

// TestAccGuide_bulkImport follows the guide: deployments that were made by hand are taken over by what it says, and
// neither on the way nor in the end is anything changed.
func TestAccGuide_bulkImport(t *testing.T) {
	t.Parallel()
	discovery, _ := guide(t)
	c := newCLI(t)
	c.write("discover.tf", discovery)
	c.run(0, "apply", "-auto-approve")
	c.write("imports.tf", c.run(0, "output", "-raw", "imports"))
	c.run(0, "plan", "-generate-config-out=deployments.tf")
	c.takesOver()
}

// TestAccGuide_query_next follows the shorter way, where the CLI knows it.
func TestAccGuide_query_next(t *testing.T) {
	t.Parallel()
	discovery, query := guide(t)
	c := newCLI(t)
	c.needsTerraform(14)
	configuration, _, _ := strings.Cut(discovery, "\ndata ")
	c.write("terraform.tf", configuration)
	c.write("deployments.tfquery.hcl", query)
	c.run(0, "query", "-generate-config-out=deployments.tf")
	c.takesOver()
}

// guide are the configurations that it shows.
func guide(t *testing.T) (discovery, query string) {
	t.Helper()
	text := readText(t, filepath.Join(root, "templates", "guides", "bulk-import.md"))
	blocks := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(blocks) != 2 {
		t.Fatalf("the guide shows %d configurations, want the discovery and the query", len(blocks))
	}
	return blocks[0][1], blocks[1][1]
}

// takesOver goes on with the generated configuration, as the guide does, to the end.
func (c *cli) takesOver() {
	c.t.Helper()
	told := c.run(0, "apply", "-auto-approve")
	if !strings.Contains(told, fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", adopted)) {
		c.t.Errorf("the apply did something else than importing:\n%s", told)
	}
	c.write("imports.tf", "")
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
			"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/acme/agent", "deployment_type": "prod",
			"build_on_push": i%2 == 0,
		}
		body["source_revision_config"] = map[string]any{"repo_ref": "main", "graph_config_path": "graph.json"}
	}
	plane.Call("POST", "/v2/deployments", body, nil)
}

// cli is the real CLI with the provider as it would be installed, in an empty directory, and deployments made by hand.
type cli struct {
	t               *testing.T
	plane           *providertest.Plane
	path, directory string
	environment     []string
}

// newCLI builds the provider. It runs in its own process, by the system's clock, so rollouts must take no time.
func newCLI(t *testing.T) *cli {
	t.Helper()
	plane := providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Rollout = 0 })
	for i := range adopted {
		madeByHand(plane, i)
	}
	return startCLI(t, plane)
}

// startCLI builds the provider, for an empty directory.
func startCLI(t *testing.T, plane *providertest.Plane) *cli {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("Acceptance tests skipped unless env 'TF_ACC' set")
	}
	c := &cli{t: t, plane: plane, path: os.Getenv("TF_ACC_TERRAFORM_PATH"), directory: t.TempDir()}
	if c.path == "" {
		found, err := exec.LookPath("terraform")
		if err != nil {
			t.Fatal(err)
		}
		c.path = found
	}
	bin := providertest.Build(t, root)
	settings := filepath.Join(t.TempDir(), "cli.tfrc")
	overrides := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"agentplane/agentplane\" = %q\n  }\n  direct {}\n}\n", bin)
	if err := os.WriteFile(settings, []byte(overrides), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "AGENTPLANE_") {
			c.environment = append(c.environment, variable)
		}
	}
	c.environment = append(c.environment, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0", "TF_CLI_CONFIG_FILE="+settings)
	c.environment = append(c.environment, plane.Environ()...)
	return c
}

func (c *cli) write(name, content string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.directory, name), []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// needsTerraform skips the test unless the CLI is Terraform 1.minor or newer. Like providertest.VersionChecks, it fails the
// test instead while AGENTPLANE_TEST_NEXT is set.
func (c *cli) needsTerraform(minor int) {
	c.t.Helper()
	providertest.RequireNextName(c.t)
	var installed int
	if _, err := fmt.Sscanf(c.run(0, "version"), "Terraform v1.%d.", &installed); err == nil && installed >= minor {
		return
	}
	if os.Getenv("AGENTPLANE_TEST_NEXT") != "" {
		c.t.Fatalf("needs Terraform 1.%d", minor)
	}
	c.t.Skipf("needs Terraform 1.%d", minor)
}

func (c *cli) command(arguments ...string) *exec.Cmd {
	command := exec.CommandContext(c.t.Context(), c.path, append(arguments, "-no-color")...)
	command.Dir, command.Env = c.directory, c.environment
	return command
}

// run returns what a person sees of a command, which must end with the exit code.
func (c *cli) run(want int, arguments ...string) string {
	c.t.Helper()
	output, err := c.command(arguments...).CombinedOutput()
	code := 0
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		c.t.Fatal(err)
	}
	if code != want {
		c.t.Fatalf("%s ended with %d:\n%s", arguments, code, output)
	}
	return string(output)
}
