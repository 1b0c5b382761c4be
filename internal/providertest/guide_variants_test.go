package providertest_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// quick is a dev server whose rollouts take no time, for a provider that uses the system's clock.
func quick(cfg *devserver.Config) { cfg.Rollout = 0 }

// TestAccIndex installs the provider as the first page says, and sets the variables that it names, with the address and the key of a dev
// server.
func TestAccIndex(t *testing.T) {
	t.Parallel()
	blocks := markedBlocks(t, "templates/index.md.tmpl", 5)
	plane := providertest.NewDev(t)
	m := startMachine(t, "make")
	if err := m.save(t, "# main.tf\n"+`terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

data "agentplane_listeners" "all" {}
`); err != nil {
		t.Fatal(err)
	}
	variables := strings.NewReplacer("https://agents.example.com/api-host", plane.URL, "...", providertest.APIKey).Replace(blocks[0])
	told, err := m.run(t, variables+blocks[1]+blocks[2])
	if err != nil || len(plane.Requests("GET", "/v2/listeners")) == 0 {
		t.Errorf("%v, or the dev server was not asked:\n%s", err, told)
	}
	if told, err := m.run(t, blocks[3]+"terraform init"); err != nil {
		t.Errorf("the lock file for several platforms: %v\n%s", err, told)
	}
	if told, err := m.run(t, blocks[4]+"rm -r .terraform\n! terraform init"); err != nil || !strings.Contains(told, "provider packages") {
		t.Errorf("%v, or init finds a provider that is uninstalled:\n%s", err, told)
	}
}

// TestAccInstall installs two commits of a clone, and lets a job use the one that a lock file names.
func TestAccInstall(t *testing.T) {
	t.Parallel()
	m := startMachine(t, "make")
	if err := m.save(t, "# main.tf\nterraform {\n  required_providers {\n    agentplane = { source = \"agentplane/agentplane\" }\n  }\n}\n"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ commands, want string }{
		{"git clone -q '" + absolute(t, root) + "' clone; make -C clone install; terraform init; cp .terraform.lock.hcl first.hcl", "0.1.0+"},
		{`git -C clone config user.email a@example.com; git -C clone config user.name A
for _ in 1 2 3; do git -C clone commit -q --allow-empty -m "change"; done
make -C clone install
for _ in $(seq 10); do terraform init -upgrade; grep -q "0.1.0+$(git -C clone rev-parse --short=12 HEAD)\"" .terraform.lock.hcl; done`, "0.1.0+"},
		{`cp .terraform.lock.hcl second.hcl; cp first.hcl .terraform.lock.hcl; rm -r .terraform
setup=clone/.github/actions/setup/setup.sh
eval "$($setup)"; terraform init; $setup stop; cmp first.hcl .terraform.lock.hcl`, "Reusing previous version"},
		{`eval "$($setup -upgrade)"; terraform init -upgrade; $setup stop; cmp second.hcl .terraform.lock.hcl`, "0.1.0+"},
		{`unset TF_CLI_CONFIG_FILE; echo >>clone/README.md; make -C clone install; terraform init -upgrade; ! $setup`, "Commit them, run make install"},
		{`echo 'provider_installation {' >~/.terraformrc; ! make -C clone install`, "filesystem_mirror {"},
	} {
		if told, err := m.run(t, step.commands); err != nil || !strings.Contains(told, step.want) {
			t.Fatalf("%v, want %q:\n%s\n%s", err, step.want, step.commands, told)
		}
	}
}

// TestAccIndex_unknown expects what the first page says of settings that are unknown in a plan.
func TestAccIndex_unknown(t *testing.T) {
	t.Parallel()
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
	blocks := markedBlocks(t, "templates/guides/authentication.md", 4)
	plane := providertest.NewDev(t)
	variables := config.Variables{"gateway_key": config.StringVariable("canary-of-the-gateway")}
	apply := func(configuration string) {
		t.Helper()
		providertest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{{Config: configuration, ConfigVariables: variables}},
		})
	}
	environment := blocks[0]
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
	variables["client_key"] = config.StringVariable(string(keyText))
	for _, block := range blocks[1:3] { // Files, then texts.
		asked := len(plane.Requests("GET", "/v2/listeners"))
		private := strings.NewReplacer("https://agents.example.com/api-host", server.URL, "/etc/ssl/example", directory,
			`file("ca.pem")`, strconv.Quote(string(certificate)), `file("terraform.pem")`, strconv.Quote(string(certificate)),
		).Replace(block)
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
	behind := strings.ReplaceAll(blocks[3], "https://agents.example.com/api-host", gateway.URL)
	apply(withoutBlock(t, environment, `provider "agentplane"`) + behind)
	refused := regexp.MustCompile(`(?s)No key of the gateway\..*Something\s+in\s+front\s+of\s+the\s+service`)
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{{
			Config:          withoutBlock(t, environment, `provider "agentplane"`) + strings.ReplaceAll(behind, "X-Gateway-Key", "X-Other-Key"),
			ConfigVariables: variables,
			ExpectError:     refused,
		}},
	})
}

// TestAccGuide_revisions calls the health endpoint of a deployment as the guide does, with a stand-in for the provider hashicorp/http, which a
// test can't download, and at an address of the test.
func TestAccGuide_revisions(t *testing.T) {
	t.Parallel()
	var calls, status atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ok" {
			calls.Add(1)
			w.WriteHeader(int(status.Load()))
		}
	}))
	t.Cleanup(server.Close)
	status.Store(http.StatusOK)
	guide := filepath.Join("templates", "guides", "revisions.md")
	health, kept := blockWith(t, guide, `check "health"`), withoutBlock(t, blockWith(t, guide, "# kept/main.tf"), "terraform")
	served := strings.Replace(kept, "source_config = {\n", fmt.Sprintf("source_config = {\n custom_url = %q\n", server.URL), 1)
	plane := providertest.NewDev(t)
	factories := plane.Factories()
	factories["http"] = providerserver.NewProtocol6WithError(httpStandIn)
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
	factories["http"] = providerserver.NewProtocol6WithError(httpStandIn)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories, CheckDestroy: checkNoneLeft(unserved),
		Steps: []resource.TestStep{{Config: kept + health, ExpectNonEmptyPlan: true}},
	})
}

// TestAccGuide_rollBack_repository lists the revisions of a repository as the guide does, where there is no image.
func TestAccGuide_rollBack_repository(t *testing.T) {
	t.Parallel()
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
	c.write("revisions.tf", blockWith(t, filepath.Join("templates", "guides", "roll-back.md"), "# revisions.tf"))
	if told := c.run(0, "apply", "-auto-approve"); !regexp.MustCompile(`"20\S+Z [0-9a-f-]{36} refs/tags/v1.0.0 [0-9a-f]{40}"`).MatchString(told) {
		t.Errorf("the revisions are not listed:\n%s", told)
	}
}
