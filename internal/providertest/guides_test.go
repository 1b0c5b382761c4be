package providertest_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// quick is a dev server whose rollouts take no time, for a provider that uses the system's clock.
func quick(cfg *devserver.Config) { cfg.Rollout = 0 }

// TestAccIndex sets the variables as the first page says, and installs the provider as it says.
func TestAccIndex(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide := openPage(t, filepath.Join("templates", "index.md.tmpl"))
	plane := providertest.NewDev(t)
	c := startCLI(t, plane)
	c.write("main.tf", `terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

data "agentplane_listeners" "all" {}
`)
	variables := strings.NewReplacer("https://agents.example.com/api-host", plane.URL, "...", providertest.APIKey).Replace(guide.shell())
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	c.shell(guide.shell(), append(cloning(clone), "GOBIN="+bin)...)
	c.write("cli.tfrc", strings.Replace(guide.configuration(), "/home/you/go/bin", bin, 1))
	told := c.shell("unset ${!AGENTPLANE_@}\n"+variables+"terraform apply", "TF_CLI_CONFIG_FILE="+filepath.Join(c.directory, "cli.tfrc"))
	if len(plane.Requests("GET", "/v2/listeners")) == 0 || !strings.Contains(told, bin) {
		t.Errorf("the dev server was not asked by the installed provider:\n%s", told)
	}
}

// TestAccIndex_unknown expects what the first page says of settings that are unknown in a plan.
func TestAccIndex_unknown(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	c := startCLI(t, providertest.NewDev(t, quick))
	configuration := func(settings string) string {
		return `terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

resource "terraform_data" "cluster" {
  input = "value"
}

provider "agentplane" {
  headers = { X-Cluster = terraform_data.cluster.output }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
` + settings + `}

resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "` + c.plane.K8sNamespace + `" }
  }
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.4.0" }
}
`
	}
	c.write("main.tf", configuration(""))
	if told := c.run(1, "plan"); !strings.Contains(told, "Provider configuration not known yet") || !strings.Contains(told, "agentplane_listener.cluster") {
		t.Errorf("the plan with unknown settings:\n%s", told)
	}
	c.write("main.tf", configuration("  depends_on = [terraform_data.cluster]\n"))
	c.run(0, "apply", "-auto-approve")
	c.run(0, "plan", "-detailed-exitcode")
}

// TestAccGuide_authentication takes the credential from the environment, and then shows a certificate to a service that asks for it, and
// a key to a gateway.
func TestAccGuide_authentication(t *testing.T) {
	t.Parallel()
	guide := openGuide(t, "authentication.md")
	plane := providertest.NewDev(t)
	apply := func(configuration string) {
		t.Helper()
		providertest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{{Config: configuration}},
		})
	}
	environment := guide.configuration()
	apply(environment)

	server := httptest.NewUnstartedServer(plane.Service)
	var known []byte
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, VerifyConnection: func(connection tls.ConnectionState) error {
		if !bytes.Equal(connection.PeerCertificates[0].Raw, known) {
			return fmt.Errorf("unknown certificate of %s", connection.PeerCertificates[0].Subject)
		}
		return nil
	}}
	server.StartTLS()
	t.Cleanup(server.Close)
	known = server.Certificate().Raw // The client shows the same one.
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	directory, keyText := t.TempDir(), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: known})
	for name, content := range map[string][]byte{"ca.pem": certificate, "terraform.pem": certificate, "terraform-key.pem": keyText} {
		if err := os.WriteFile(filepath.Join(directory, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	withKey := fmt.Sprintf("ephemeral = true\n  default   = %q", keyText)
	for range 2 { // Files, then texts.
		asked := len(plane.Requests("GET", "/v2/listeners"))
		private := strings.NewReplacer("https://agents.example.com/api-host", server.URL, "/etc/ssl/example", directory,
			`file("ca.pem")`, strconv.Quote(string(certificate)), `file("terraform.pem")`, strconv.Quote(string(certificate)), "ephemeral = true", withKey,
		).Replace(guide.configuration())
		apply(withoutBlock(t, environment, `provider "agentplane"`) + private)
		if len(plane.Requests("GET", "/v2/listeners")) == asked {
			t.Error("the service was not asked")
		}
	}

	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Gateway-Key") != "canary-of-the-gateway" {
			http.Error(w, "No key of the gateway.", http.StatusUnauthorized)
			return
		}
		plane.Service.ServeHTTP(w, r)
	}))
	t.Cleanup(gateway.Close)
	behind := strings.NewReplacer(
		"https://agents.example.com/api-host", gateway.URL, "sensitive = true", "sensitive = true\n  default   = \"canary-of-the-gateway\"",
	).Replace(guide.configuration())
	apply(withoutBlock(t, environment, `provider "agentplane"`) + behind)
	refused := regexp.MustCompile(`(?s)No key of the gateway\..*Something\s+in\s+front\s+of\s+the\s+service`)
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{{
			Config:      withoutBlock(t, environment, `provider "agentplane"`) + strings.ReplaceAll(behind, "X-Gateway-Key", "X-Other-Key"),
			ExpectError: refused,
		}},
	})
}

// TestAccGuide_revisions calls the health endpoint of a deployment, and lets a first rollout fail.
func TestAccGuide_revisions(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide := openGuide(t, "revisions.md")
	var calls, status atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ok" {
			calls.Add(1)
			w.WriteHeader(int(status.Load()))
		}
	}))
	t.Cleanup(server.Close)
	status.Store(http.StatusOK)
	lists, policy := guide.shell(), guide.shell()
	health, kept := guide.configuration(), guide.configuration()
	testReasons(t, kept, lists, policy)
	served := strings.Replace(kept, "source_config = {\n", fmt.Sprintf("source_config = {\n custom_url = %q\n", server.URL), 1)
	plane := providertest.NewDev(t)
	factories := plane.Factories()
	factories["http"] = providerserver.NewProtocol6WithError(httpStandIn{})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories, CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{
			// A plan always has the read of a check's own data source.
			{Config: served + health, ExpectNonEmptyPlan: true},
			// A failed check is a warning.
			{Config: served + health, ExpectNonEmptyPlan: true, PreConfig: func() { status.Store(http.StatusInternalServerError) }},
		},
	})
	if calls.Load() == 0 {
		t.Error("the health endpoint was not called")
	}
	// Before the first apply, and where the service reports no URL, the check only warns.
	unserved := providertest.NewDev(t)
	factories = unserved.Factories()
	factories["http"] = providerserver.NewProtocol6WithError(httpStandIn{})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories, CheckDestroy: checkNoneLeft(unserved),
		Steps: []resource.TestStep{{Config: kept + health, ExpectNonEmptyPlan: true}},
	})

	failing := providertest.NewDev(t)
	failing.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: "DEPLOYING", Message: "crash loop"}})()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: failing.Factories(), CheckDestroy: checkNoneLeft(failing),
		Steps: []resource.TestStep{
			{Config: kept, ExpectError: regexp.MustCompile(`The newest revision is DEPLOY_FAILED`)},
			{Config: kept, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("agentplane_deployment.chat", plancheck.ResourceActionUpdate),
			}}},
		},
	})
}

// testReasons runs the guide's commands on the plans of a creation, of another image, and of another variable.
func testReasons(t *testing.T, configuration, lists, policy string) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Log("the guide's policies need jq")
		return
	}
	c := startCLI(t, providertest.NewDev(t, quick))
	c.write("provider.tf", "terraform {\n  required_providers {\n    agentplane = { source = \"agentplane/agentplane\" }\n  }\n}\n")
	passes := strings.TrimSpace(policy) + " && echo passed || echo failed"
	for _, step := range []struct{ from, to, changes, ends string }{
		{"", "", `["created"]`, "failed"},
		{"chat:1.4.0", "chat:1.5.0", `["source_revision_config.image_uri"]`, "passed"},
		{"source_revision_config", "environment = { A = \"1\" }\n  source_revision_config", `["environment[\"A\"]"]`, "failed"},
		{"", "", "", "passed"}, // No change.,
	} {
		configuration = strings.Replace(configuration, step.from, step.to, 1)
		c.write("main.tf", configuration)
		var listed []struct{ Changes json.RawMessage }
		_, output, _ := strings.Cut(c.shell(lists), "\n[")
		if err := json.Unmarshal([]byte("["+output), &listed); err != nil {
			t.Fatalf("%v in %s", err, output)
		}
		var changes bytes.Buffer
		for _, one := range listed {
			if err := json.Compact(&changes, one.Changes); err != nil {
				t.Fatal(err)
			}
		}
		if ended := c.shell(passes); changes.String() != step.changes || !strings.Contains(ended, step.ends) {
			t.Errorf("changes = %s, policy = %s; want %s and %s", &changes, ended, step.changes, step.ends)
		}
		c.run(0, "apply", "tfplan")
	}
}

// TestAccGuide_rollBack goes back to an image by the configuration.
func TestAccGuide_rollBack(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide := openGuide(t, "roll-back.md")
	c := startCLI(t, providertest.NewDev(t, quick))
	c.write("main.tf", guide.configuration())
	c.run(0, "apply", "-auto-approve", "-var=image_uri=registry.example.com/agents/chat:1.4.0")
	c.write("revisions.tf", guide.configuration())
	c.shell(guide.shell())
	if told := c.run(0, "apply", "-auto-approve"); !strings.Contains(told, "agents/chat:1.5.0\"") || !strings.Contains(told, "agents/chat:1.4.0\"") {
		t.Errorf("the revisions are not listed:\n%s", told)
	}
	if told := c.shell(guide.shell()); !strings.Contains(told, "0 added, 1 changed, 0 destroyed") {
		t.Errorf("the rollback was not just an update:\n%s", told)
	}
	if got := c.deployedImage(); got != "registry.example.com/agents/chat:1.4.0" {
		t.Errorf("%s is deployed", got)
	}
	guide.leave(4, "TestAccGuide_rollBack_next")
}

// TestAccGuide_rollBack_repository lists the revisions of a repository as the guide does, where there is no image.
func TestAccGuide_rollBack_repository(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide := openGuide(t, "roll-back.md")
	c := startCLI(t, providertest.NewDev(t, quick))
	c.write("provider.tf", "terraform {\n  required_providers {\n    agentplane = { source = \"agentplane/agentplane\" }\n  }\n}\n")
	c.write("main.tf", fmt.Sprintf(`resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "git_host"
  source_config = {
    integration_id = %q
    repo_url       = "https://git.example.com/example-org/chat"
  }
  source_revision_config = {
    repo_ref          = "refs/tags/v1.0.0"
    graph_config_path = "graph.json"
  }
}
`, c.plane.IntegrationID))
	guide.leave(1, "TestAccGuide_rollBack")
	c.write("revisions.tf", guide.configuration())
	if told := c.shell(guide.shell()); !regexp.MustCompile(`"20\S+Z [0-9a-f-]{36} refs/tags/v1.0.0 [0-9a-f]{40}"`).MatchString(told) {
		t.Errorf("the revisions are not listed:\n%s", told)
	}
	guide.leave(5, "TestAccGuide_rollBack")
}

// TestAccGuide_traces expects that each check of the guide but one, on calls without a cost, fails as long as nothing is logged, and that
// none fails afterwards.
func TestAccGuide_traces(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide := openGuide(t, "traces.md")
	c := startCLI(t, providertest.NewDev(t, quick))
	c.write("provider.tf", "terraform {\n  required_providers {\n    agentplane = { source = \"agentplane/agentplane\" }\n  }\n}\n")
	checks := guide.configuration()
	c.write("main.tf", checks)
	c.run(0, "apply", "-auto-approve")
	messages := regexp.MustCompile(`error_message = "(.*)"`).FindAllStringSubmatch(checks, -1)
	if len(messages) != 5 {
		t.Fatalf("the guide has %d checks", len(messages))
	}
	failed := func(told string) (count int) {
		for _, message := range messages {
			if strings.Contains(strings.Join(strings.Fields(told), " "), message[1]) {
				count++
			}
		}
		return count
	}
	if told := c.run(0, "plan"); failed(told) != 4 || strings.Contains(told, "have no cost") {
		t.Errorf("without traces, %d checks fail:\n%s", failed(told), told)
	}
	start := time.Now().UTC().Add(-time.Minute)
	c.plane.Call("POST", "/api/v1/runs", map[string]any{
		"session_name": "chat", "name": "answer", "run_type": "llm", "inputs": map[string]any{},
		"start_time": start.Format(time.RFC3339Nano), "end_time": start.Add(time.Second).Format(time.RFC3339Nano),
		"outputs": map[string]any{"usage_metadata": map[string]any{"input_tokens": 12, "output_tokens": 3, "total_cost": 0.01}},
	}, nil)
	if told := c.run(0, "plan"); failed(told) != 0 {
		t.Errorf("with a trace, %d checks fail:\n%s", failed(told), told)
	}
}

// TestAccGuide_rollBack_next goes back by the actions, where the CLI knows them.
func TestAccGuide_rollBack_next(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide := openGuide(t, "roll-back.md")
	c := startCLI(t, providertest.NewDev(t, quick))
	c.needsTerraform(14)
	c.write("main.tf", guide.configuration())
	guide.leave(3, "TestAccGuide_rollBack")
	c.write("action.tf", guide.configuration())
	c.run(0, "apply", "-auto-approve", "-var=image_uri=registry.example.com/agents/chat:1.4.0")
	revision := c.deployment()["latest_revision_id"].(string)
	c.run(0, "apply", "-auto-approve")
	second := c.deployment()["latest_revision_id"].(string)
	returns := func(told, to, image string) {
		t.Helper()
		if !strings.Contains(told, `Rollback of deployment "chat"`) || !strings.Contains(told, to+" (registry.example.com/agents/chat:"+image+")") {
			t.Errorf("the plan doesn't show the revision %s:\n%s", to, told)
		}
		if got := c.deployedImage(); got != "registry.example.com/agents/chat:"+image {
			t.Errorf("%s is deployed", got)
		}
	}
	returns(c.shell(guide.shell()), revision, "1.4.0")
	c.write("revision.tf", guide.configuration())
	const invoke = "-invoke=action.agentplane_roll_back.revision"
	for _, forgotten := range [][]string{nil, {"-var=rollback_to="}} {
		c.run(1, append([]string{"apply", "-auto-approve", invoke}, forgotten...)...)
	}
	c.shell("terraform apply -auto-approve " + invoke + " -var rollback_to=" + second)
	returns(c.shell(guide.shell(), "REVISION_ID="+revision), revision, "1.4.0")
	if told := c.run(2, "plan", "-detailed-exitcode"); !strings.Contains(told, "chat:1.5.0") {
		t.Errorf("the plan doesn't show the way forward:\n%s", told)
	}
}

// deployment is the only deployment.
func (c *cli) deployment() map[string]any {
	c.t.Helper()
	var list struct {
		Resources []map[string]any `json:"resources"`
	}
	c.plane.Call("GET", "/v2/deployments", nil, &list)
	if len(list.Resources) != 1 {
		c.t.Fatalf("there are %d deployments, want one", len(list.Resources))
	}
	return list.Resources[0]
}

// deployedImage is the image of its newest revision.
func (c *cli) deployedImage() string {
	c.t.Helper()
	var revision struct {
		Made struct {
			ImageURI string `json:"image_uri"`
		} `json:"source_revision_config"`
	}
	deployment := c.deployment()
	c.plane.Call("GET", fmt.Sprintf("/v2/deployments/%s/revisions/%s", deployment["id"], deployment["latest_revision_id"]), nil, &revision)
	return revision.Made.ImageURI
}

// TestAccGuide_testing tests the module of the guide by the tests of the guide, which can fail.
func TestAccGuide_testing(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide := openGuide(t, "testing.md")
	plane := providertest.NewDev(t, quick)
	c := startCLI(t, plane)
	c.needs(7, 8) // Mocks.
	listener := []string{"TF_VAR_listener_id=" + plane.ListenerID, "TF_VAR_k8s_namespace=" + plane.K8sNamespace}
	c.save(guide.configuration())
	c.save(guide.configuration())
	if told := c.shell(guide.shell(), listener...); !strings.Contains(told, "2 passed, 0 failed") {
		t.Errorf("with a dev server:\n%s", told)
	}
	c.save(guide.configuration())
	filtered := guide.shell()
	if told := c.shell(filtered); !strings.Contains(told, "1 passed, 0 failed") {
		t.Errorf("with a mock:\n%s", told)
	}
	c.write("main.tf", strings.Replace(readText(t, filepath.Join(c.directory, "main.tf")), `"chat-staging"`, `"chat"`, 1))
	if told := c.shell("! " + filtered); !strings.Contains(told, "The name lacks the environment.") {
		t.Errorf("with a name that it refuses:\n%s", told)
	}
	c.save(guide.configuration())
	c.save(guide.configuration())
	listener = append(listener, "TF_VAR_integration_id="+plane.IntegrationID)
	if told := c.shell(guide.shell(), listener...); !strings.Contains(told, "2 passed, 0 failed") {
		t.Errorf("with a branch that can't be built:\n%s", told)
	}
	if err := os.Remove(filepath.Join(c.directory, "agent.tf")); err != nil {
		t.Fatal(err)
	}
	options := guide.shell()
	slow, environment := startSlow(t, plane.Dialect())
	if command := "agentplane-devserver -seed -dev-api -lag " + slow.Lag.String() + " -clock-skew " + slow.ClockSkew.String() + " -rollout " +
		slow.Rollout.String() + "\n"; options != command {
		t.Errorf("the guide starts a server with %s, the test one with %s", options, command)
	}
	const left = `curl -fsS -H "X-Api-Key: $AGENTPLANE_API_KEY" "$AGENTPLANE_BASE_URL/dev/faults"`
	if told := c.shell(guide.shell()+left, environment...); !strings.Contains(told, "2 passed, 0 failed") || !strings.Contains(told, `"faults":[]`) {
		t.Errorf("with a slow server:\n%s", told)
	}
	guide.leave(4, "TestAccSetup")
}

// startSlow starts a server that lags, and returns the environment of its users.
func startSlow(t *testing.T, dialect *api.Dialect) (devserver.Config, []string) {
	t.Helper()
	cfg := devserver.Config{Dialect: dialect, Lag: 2 * time.Second, ClockSkew: 3 * time.Second, Rollout: 5 * time.Second, DevAPI: true}
	return cfg, startTimed(t, cfg)
}

// startTimed starts a server that has the system's clock, and returns the environment of its users.
func startTimed(t *testing.T, cfg devserver.Config) []string {
	t.Helper()
	cfg.Keys = []devserver.Key{{Value: "timed-key", Workspaces: []string{devserver.DefaultWorkspaceID}}}
	server, err := devserver.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(func() {
		web.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	seeded, err := server.Seed(t.Context(), devserver.DefaultWorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"AGENTPLANE_BASE_URL=" + web.URL, "AGENTPLANE_API_KEY=timed-key", "AGENTPLANE_WORKSPACE_ID=" + devserver.DefaultWorkspaceID,
		"TF_VAR_listener_id=" + seeded.ListenerID, "TF_VAR_k8s_namespace=" + seeded.K8sNamespaces[0],
	}
}

// TestAccGuide_upgrading upgrades the provider and goes back.
func TestAccGuide_upgrading(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide, deployed := openGuide(t, "upgrading.md"), openGuide(t, "roll-back.md")
	c := startCLI(t, providertest.NewDev(t, quick))
	c.offer("0.1.0")
	pinned := guide.configuration()
	c.write("main.tf", pinned)
	c.write("chat.tf", withoutBlock(t, deployed.configuration(), "terraform"))
	deployed.leave(7, "TestAccGuide_rollBack")
	c.shell("terraform init && terraform apply")
	expect := func(told, version string) {
		t.Helper()
		lock := readText(t, filepath.Join(c.directory, ".terraform.lock.hcl"))
		if !strings.Contains(told, "No changes") || !strings.Contains(lock, fmt.Sprintf("version     = %q", version)) {
			t.Errorf("want version %s and no changes:\n%s\n%s", version, told, lock)
		}
	}
	c.offer("0.1.0", "0.1.1", "0.2.0")
	expect(c.shell(guide.shell()), "0.1.1")
	c.write("main.tf", strings.Replace(pinned, `"~> 0.1.0"`, `"0.1.0"`, 1))
	expect(c.shell(guide.shell()), "0.1.0")
}

// promotesBetweenWorkspaces deploys dev and prod of the platform to two workspaces.
func promotesBetweenWorkspaces(t *testing.T, guide *page, other string) {
	t.Helper()
	c := startPlatform(t, func(cfg *devserver.Config) { cfg.Keys[0].Workspaces = append(cfg.Keys[0].Workspaces, other) })
	production := &cli{t: t, plane: c.plane.In(other)}
	c.excerpt("platform", guide.configuration())
	c.shell("terraform -chdir=dev init; terraform -chdir=prod init")
	c.shell(guide.shell(), "DEV_WORKSPACE_ID="+providertest.WorkspaceID, "PROD_WORKSPACE_ID="+other, "IMAGE="+built("a"))
	c.serves(map[string]string{"chat-dev": built("a")})
	production.serves(map[string]string{"chat": built("a")})
}

// TestAccGuide_workspaces asks two workspaces with one key, and then deploys to each with a key of its own.
func TestAccGuide_workspaces(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	guide := openGuide(t, "workspaces.md")
	const other = "3f0c1f6a-64a3-4b6c-9d1e-1b7a1f0f5d11"
	promotesBetweenWorkspaces(t, guide, other)
	plane := providertest.NewDev(t, quick, func(cfg *devserver.Config) {
		cfg.Keys[0].Workspaces = append(cfg.Keys[0].Workspaces, other)
		cfg.Keys = append(cfg.Keys, devserver.Key{Value: "staging-key", Workspaces: []string{providertest.WorkspaceID}},
			devserver.Key{Value: "production-key", Workspaces: []string{other}})
	})
	production := plane.In(other)
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		Steps: []resource.TestStep{{
			Config: guide.configuration(), ConfigVariables: config.Variables{"other_workspace_id": config.StringVariable(other)},
		}},
	})

	c := startCLI(t, plane)
	c.offer("0.1.0")
	c.write("main.tf", guide.configuration())
	c.save(guide.configuration())
	c.shell("unset AGENTPLANE_API_KEY AGENTPLANE_WORKSPACE_ID; terraform init; terraform apply",
		"TF_VAR_staging_api_key=staging-key", "TF_VAR_production_api_key=production-key")
	for plane, want := range map[*providertest.Plane]string{plane: "1.5.0", production: "1.4.0"} {
		in := &cli{t: t, plane: plane}
		if got := in.deployedImage(); !strings.HasSuffix(got, want) {
			t.Errorf("%s is deployed, want %s", got, want)
		}
	}
}
