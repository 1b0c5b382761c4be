package providertest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// root is where the repository begins.
const root = "../.."

// kinds are the examples, by the file names that the documentation generator knows, and how each is tried. The files of
// a directory are alternatives, except in the quick start. Whole configurations without a function are modules of one.
var kinds = map[string]func(t *testing.T, file string){
	"quickstart/main.tf":                          testedElsewhere,
	"llm-fixtures/main.tf":                        testModuleTests,
	"opentofu/workspaces.tf":                      testWorkspaces,
	"opentofu/encryption.tf":                      testEncryption,
	"provider/provider*.tf":                       testProvider,
	"resources/*/resource*.tf":                    nil,
	"resources/*/import-by-*.tf":                  testedElsewhere,
	"resources/*/import.sh":                       testedElsewhere,
	"functions/*/function.tf":                     nil,
	"list-resources/*/list-resource.tfquery.hcl":  testQuery,
	"data-sources/*/data-source.tf":               nil,
	"actions/*/action.tf":                         nil,
	"ephemeral-resources/*/ephemeral-resource.tf": nil,
}

// TestAccExamples tries every example as a user who copies it would.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	tryExamples(t, false)
}

// TestAccExamples_next tries the examples that need a newer CLI than the others.
func TestAccExamples_next(t *testing.T) {
	t.Parallel()
	tryExamples(t, true)
}

// tryExamples tries either the examples that need a newer CLI than the others, or the others.
func tryExamples(t *testing.T, next bool) {
	t.Helper()
	examples := os.DirFS(filepath.Join(root, "examples"))
	together := map[group][]string{}
	err := fs.WalkDir(examples, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && name != "." {
			return fs.SkipDir // What the quick start leaves behind.
		}
		if name == "platform" || name == "policy" || name == "server" {
			return fs.SkipDir // The guides use the first two; the third has no configuration.
		}
		if entry.IsDir() || name == "quickstart/demo.sh" || strings.HasPrefix(name, "llm-fixtures/") && name != "llm-fixtures/main.tf" {
			return nil // What belongs to a main.tf.
		}
		for pattern, try := range kinds {
			if matched, err := path.Match(pattern, name); err != nil || matched {
				file := filepath.Join(root, "examples", name)
				switch needs := requirements(t, file); {
				case slices.ContainsFunc(needs, providertest.NeedsNext) != next:
				case try == nil:
					g := groupOf(t, file)
					together[g] = append(together[g], file)
				default:
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						try(t, file)
					})
				}
				return err
			}
		}
		t.Errorf("examples/%s is not one of the known kinds, so nothing tries it", name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for g, files := range together {
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			g.test(t, files)
		})
	}
}

// loggedIn matches the examples for a user who is logged in at an OAuth provider that is there.
var loggedIn = regexp.MustCompile(`/agentplane_agent_connection/|/agentplane_oauth_access_token/`)

// logIn makes the OAuth provider of these examples, and logs the user in.
func logIn(plane *providertest.Plane) {
	plane.Call("POST", "/v2/auth/providers", map[string]any{
		"provider_id": "calendar", "name": "Calendar", "client_id": "agents",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}, nil)
	plane.Call("POST", "/v2/auth/tokens/import", map[string]any{
		"provider_id": "calendar", "access_token": "the-users-own-token", "scopes": []string{"calendar.read"},
	}, nil)
}

// evaluate makes the dataset of these examples, with an evaluation that has passed.
func evaluate(plane *providertest.Plane) {
	var dataset struct{ ID string }
	plane.Call("POST", "/api/v1/datasets", map[string]any{"name": "support"}, &dataset)
	plane.Call("POST", "/api/v1/examples", map[string]any{"dataset_id": dataset.ID, "inputs": map[string]any{}}, nil)
	plane.Call("POST", "/api/v1/sessions", map[string]any{"name": "support-1", "reference_dataset_id": dataset.ID}, nil)
	id := uuid.NewString()
	plane.Call("POST", "/api/v1/runs/batch", map[string]any{"post": []any{map[string]any{
		"id": id, "trace_id": id, "dotted_order": "20260102T030305000000Z" + id, "session_name": "support-1", "name": "agent", "run_type": "chain",
		"start_time": "2026-01-02T03:03:05Z", "end_time": "2026-01-02T03:03:07Z",
	}}}, nil)
	plane.Call("POST", "/api/v1/feedback", map[string]any{"run_id": id, "key": "correct", "score": 1}, nil)
}

// needed matches what a configuration says that it needs, and declared its variables.
var (
	needed   = regexp.MustCompile(`required_version = ">= 1\.(\d+)"`)
	declared = regexp.MustCompile(`(?m)^variable "(\w+)"`)
)

// group is of examples that can be tried at once: they need the same CLI, Terraform 1.minor, and the same of the service.
type group struct {
	minor    int
	loggedIn bool
}

func groupOf(t *testing.T, file string) group {
	t.Helper()
	g := group{loggedIn: loggedIn.MatchString(filepath.ToSlash(file))}
	if minor := needed.FindStringSubmatch(readText(t, file)); minor != nil {
		g.minor, _ = strconv.Atoi(minor[1])
	}
	return g
}

func (g group) String() string {
	if g.loggedIn {
		return fmt.Sprintf("together with 1.%d, logged in", g.minor)
	}
	return fmt.Sprintf("together with 1.%d", g.minor)
}

// test applies files that are whole configurations, each as a module, plans again, which must change nothing, and destroys
// all. It takes a fraction of the time that one after the other would.
func (g group) test(t *testing.T, files []string) {
	t.Helper()
	plane := providertest.NewDev(t, quick)
	c := startCLI(t, plane)
	c.needs(g.minor, g.minor)
	c.attach()
	c.installRandom()
	variables := plane.Variables(config.Variables{
		"model_api_key": config.StringVariable("the-models-own-key"), "client_secret": config.StringVariable("the-clients-own-secret"),
		"access_token": config.StringVariable("the-users-own-token"), "refresh_token": config.StringVariable("the-users-own-refresh-token"),
	})
	if g.loggedIn {
		logIn(plane)
	}
	evaluate(plane)
	var calls strings.Builder
	for _, file := range files {
		name, content := filepath.Base(filepath.Dir(file))+"_"+strings.TrimSuffix(filepath.Base(file), ".tf"), readText(t, file)
		c.write(filepath.Join(name, "main.tf"), content)
		fmt.Fprintf(&calls, "module %q {\n  source = %q\n", name, "./"+name)
		for _, variable := range declared.FindAllStringSubmatch(content, -1) {
			if variable[1] == "mcp_server_url" {
				variables["mcp_server_url"] = config.StringVariable(providertest.NewMCPServer(t))
			}
			if value, given := variables[variable[1]]; given {
				text, err := value.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&calls, "  %s = %s\n", variable[1], text)
			}
		}
		calls.WriteString("}\n")
	}
	c.write("main.tf", calls.String())
	c.run(0, "get")
	c.run(0, "apply", "-auto-approve")
	c.run(0, "plan", "-detailed-exitcode")
	c.run(0, "apply", "-destroy", "-auto-approve")
	if g.loggedIn {
		return // The OAuth provider stays.
	}
	if err := checkNoneLeft(plane)(nil); err != nil {
		t.Error(err)
	}
}

// testWorkspaces deploys to several workspaces, and then to fewer. An apply without a deployment leaves it as it is.
func testWorkspaces(t *testing.T, file string) {
	t.Helper()
	const other = "b2a1c5de-0c9f-4c4e-9a44-54a6de1fd2b7"
	plane := providertest.NewDev(t, quick, func(cfg *devserver.Config) {
		cfg.Keys = []devserver.Key{{Value: providertest.APIKey, Workspaces: []string{providertest.WorkspaceID, other}}}
	})
	there := plane.In(other)
	c := startCLI(t, plane)
	c.needsTofu(9)
	c.write("main.tf", readText(t, file))
	c.environment = append(c.environment, "TF_VAR_workspaces="+fmt.Sprintf("{ ours = %q, theirs = %q }", providertest.WorkspaceID, other))
	c.run(0, "apply", "-auto-approve")
	c.run(0, "plan", "-detailed-exitcode")
	exclude := regexp.MustCompile(`-exclude=\S+`).FindString(blockWith(t, filepath.Join("docs", "resources", "deployment.md"), "-exclude="))
	c.run(0, "plan", "-detailed-exitcode", "-var", `closed=["theirs"]`, exclude)
	c.run(0, "apply", "-auto-approve", "-var", `closed=["theirs"]`)
	if err := checkNoneLeft(there)(nil); err != nil {
		t.Error(err)
	}
	c.run(0, "destroy", "-auto-approve")
	if err := checkNoneLeft(plane)(nil); err != nil {
		t.Error(err)
	}
}

// testEncryption looks for a secret in the state and in a saved plan.
func testEncryption(t *testing.T, file string) {
	t.Helper()
	c := startCLI(t, providertest.NewDev(t, quick))
	c.needsTofu(8)
	c.write("main.tf", readText(t, file))
	const secret = "the-models-own-key"
	c.environment = append(c.environment, "TF_VAR_model_api_key="+secret, "TF_VAR_passphrase=a-passphrase-of-a-test")
	c.run(0, "plan", "-out=plan.tfplan")
	c.run(0, "apply", "plan.tfplan")
	if told := c.run(0, "show", "-json"); !strings.Contains(told, secret) {
		t.Error("the state has no secret")
	}
	for _, name := range []string{"plan.tfplan", "terraform.tfstate"} {
		if text := readText(t, filepath.Join(c.directory, name)); strings.Contains(text, secret) || !strings.Contains(text, "encrypted_data") {
			t.Errorf("%s is not encrypted", name)
		}
	}
	c.run(0, "destroy", "-auto-approve")
}

// testModuleTests runs a module's own tests, and checks that they can fail.
func testModuleTests(t *testing.T, file string) {
	t.Helper()
	c := startCLI(t, providertest.NewDev(t))
	c.needs(8, 7) // Functions.
	if err := os.CopyFS(c.directory, os.DirFS(filepath.Dir(file))); err != nil {
		t.Fatal(err)
	}
	if told := c.run(0, "test"); !strings.Contains(told, "3 passed, 0 failed") {
		t.Errorf("the tests of the module:\n%s", told)
	}
	broken := readText(t, filepath.Join(filepath.Dir(file), "broken", "lost.prompt.json"))
	c.write(filepath.Join("fixtures", "lost.prompt.json"), broken)
	if told := c.run(1, "test"); !strings.Contains(told, "A prompt is broken") || !strings.Contains(told, "/messages/0/role") {
		t.Errorf("a broken prompt is told as:\n%s", told)
	}
}

// minimums are version checks of examples, by a text that requires them.
var minimums = map[string]tfversion.TerraformVersionCheck{
	`required_version = ">= 1.8"`:  tfversion.SkipBelow(tfversion.Version1_8_0),
	"provider::agentplane::":       tfversion.SkipBelow(tfversion.Version1_8_0),
	`required_version = ">= 1.11"`: tfversion.SkipBelow(tfversion.Version1_11_0),
	"\n  identity = {":             tfversion.SkipBelow(tfversion.Version1_12_0),
	`required_version = ">= 1.14"`: tfversion.SkipBelow(tfversion.Version1_14_0),
	"\nlist \"":                    tfversion.SkipBelow(tfversion.Version1_14_0),
}

// requirements returns the version checks of an example, and requirementsOf those of a configuration.
func requirements(t *testing.T, file string) []tfversion.TerraformVersionCheck {
	t.Helper()
	return requirementsOf(readText(t, file))
}

func requirementsOf(content string) []tfversion.TerraformVersionCheck {
	var checks []tfversion.TerraformVersionCheck
	for text, check := range minimums {
		if strings.Contains(content, text) {
			checks = append(checks, check)
		}
	}
	return checks
}

// testQuery runs a query. The tests of the resource check its results.
func testQuery(t *testing.T, file string) {
	t.Helper()
	plane := providertest.NewDev(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   providertest.VersionChecks(t, requirements(t, file)...),
		Steps: []resource.TestStep{
			// The query uses the provider configuration in the same directory.
			{Config: "terraform {\n  required_providers {\n    agentplane = { source = \"agentplane/agentplane\" }\n  }\n}\n"},
			{Query: true, Config: readText(t, file)},
		},
	})
}

// testProvider uses a file that configures the provider for an installation that tests can't reach.
func testProvider(t *testing.T, file string) {
	t.Helper()
	applyAgainstDevServer(t, map[string]string{
		"provider.tf": readText(t, file), "use.tf": `data "agentplane_listeners" "all" {}`,
	})
}

// TestAccReadme applies the configuration that the README shows.
func TestAccReadme(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllStringSubmatch(readText(t, filepath.Join(root, "README.md")), -1)
	if len(blocks) == 0 {
		t.Fatal("README.md shows no configuration")
	}
	for i, block := range blocks {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			applyAgainstDevServer(t, map[string]string{"main.tf": block[1]})
		})
	}
}

// applyAgainstDevServer applies a configuration that names an installation and a workspace of its own. Terraform's
// override files replace these two, and nothing else of the provider block.
func applyAgainstDevServer(t *testing.T, files map[string]string) {
	t.Helper()
	plane := providertest.NewDev(t)
	files["override.tf"] = fmt.Sprintf("provider \"agentplane\" {\n  base_url = %q\n  workspace_id = %q\n}\n",
		plane.URL, providertest.WorkspaceID)
	resource.Test(t, resource.TestCase{
		CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{{
			ProtoV6ProviderFactories: plane.Factories(),
			ConfigDirectory:          config.StaticDirectory(writeFiles(t, files)), ConfigVariables: plane.Variables(nil),
			Check: func(*terraform.State) error {
				if len(plane.Requests("GET", "/v2/listeners")) == 0 {
					return errors.New("the dev server was not asked")
				}
				return nil
			},
		}},
	})
}

// testedElsewhere leaves an example to other tests: the quick start to those of the plans that it shows, and imports to TestImportExamples and to
// the table, which imports an object of each resource in all forms.
func testedElsewhere(*testing.T, string) {}

// deployed makes a deployment without Terraform, waits for it and returns its id.
func deployed(plane *providertest.Plane) string {
	var deployment struct {
		ID string `json:"id"`
	}
	plane.Call("POST", "/v2/deployments", map[string]any{
		"name":   "chat",
		"source": "external_container",
		"source_config": plane.SourceConfig("external_container", map[string]any{
			"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
		}),
		"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1.4.0"},
		"secrets":                []any{},
	}, &deployment)
	plane.Clock.Advance(providertest.Rollout)
	return deployment.ID
}

// registered makes a listener without Terraform.
func registered(plane *providertest.Plane) {
	plane.Call("POST", "/v2/listeners", map[string]any{
		"compute_type": "k8s", "compute_id": "production",
		"compute_config": map[string]any{"k8s_namespaces": []string{"agents", "agents-staging"}},
	}, nil)
}

// connected logs the user in, and connects an agent without Terraform.
func connected(plane *providertest.Plane) {
	logIn(plane)
	var tokens []struct {
		ID string `json:"id"`
	}
	plane.Call("GET", "/v2/auth/tokens", nil, &tokens)
	plane.Call("POST", "/v2/auth/agents/assistant/connections", map[string]any{"oauth_token_id": tokens[0].ID}, nil)
}

// priced makes a model price without Terraform.
func priced(plane *providertest.Plane) {
	plane.Call("POST", "/api/v1/model-price-map", map[string]any{
		"name": "example-large", "match_pattern": "^example-large$", "provider": "example", "prompt_cost": 0.000002,
		"completion_cost": 0.000003, "prompt_cost_details": map[string]any{"cache_read": 0.000001},
	}, nil)
}

// checkNoneLeft checks at the end of every example that nothing is left in the service.
func checkNoneLeft(plane *providertest.Plane) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var left struct {
			Resources []struct {
				Name string `json:"name"`
			} `json:"resources"`
		}
		plane.Call("GET", "/v2/deployments", nil, &left)
		if len(left.Resources) > 0 {
			return fmt.Errorf("%d deployments are left, the first is %q", len(left.Resources), left.Resources[0].Name)
		}
		plane.Call("GET", "/v2/listeners", nil, &left)
		if len(left.Resources) != 1 {
			return fmt.Errorf("%d listeners are left, want the seeded one", len(left.Resources))
		}
		var providers []struct {
			ProviderID string `json:"provider_id"`
		}
		plane.Call("GET", "/v2/auth/providers", nil, &providers)
		if len(providers) > 0 {
			return fmt.Errorf("%d OAuth providers are left, the first is %q", len(providers), providers[0].ProviderID)
		}
		return nil
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// writeFiles makes a directory of a configuration.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	directory := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return directory
}
