package providertest_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccState_olderCLI_next lets an older Terraform go on with the state that a newer one has written: the one on PATH, after the
// one under test. It finds nothing to change, changes something, and leaves nothing for the newer one to do.
func TestAccState_olderCLI_next(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, quick)
	c := startCLI(t, plane)
	c.needsTerraform(14)
	c.environment = append(c.environment, "TF_VAR_model_api_key=the-models-own-key")
	skip := t.Skipf
	if os.Getenv("AGENTPLANE_TEST_OLDER") != "" {
		skip = t.Fatalf
	}
	newer, newest := c.path, c.version()
	older, err := exec.LookPath("terraform")
	if err != nil {
		skip("no Terraform is on PATH that could be older than the one under test")
	}
	c.path = older
	if c.version() == newest {
		skip("there is no other Terraform on PATH than %s", newest)
	}
	t.Logf("%s after %s", c.version(), newest)
	c.path = newer

	logIn(plane)
	for _, name := range []string{"agent_connection", "deployment", "listener", "llm_run", "model_price"} {
		example := readText(t, filepath.Join(root, "examples", "resources", "agentplane_"+name, "resource.tf"))
		c.write(name+".tf", withoutBlock(t, example, "terraform"))
	}
	// Two of them find the same listener.
	c.write("llm_run.tf", withoutBlock(t, readText(t, filepath.Join(c.directory, "llm_run.tf")), `data "agentplane_listener" "cluster"`))
	const configuration = `
terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

resource "agentplane_oauth_provider" "mail" {
  provider_id   = "mail"
  name          = "Mail"
  client_id     = "agents"
  client_secret = "the-clients-secret"
  auth_url      = "https://login.example.com/authorize"
  token_url     = "https://login.example.com/token"
}
`
	c.write("main.tf", configuration)
	c.run(0, "apply", "-auto-approve")
	sent := writes(plane)
	c.path = older
	// Terraform 1.5 updates resources whose state says what is sensitive, and says so no longer. The service isn't told.
	c.run(0, "apply", "-auto-approve")
	if now := writes(plane); now != sent {
		t.Errorf("%d writes were sent", now-sent)
	}
	c.run(0, "plan", "-detailed-exitcode")
	c.write("main.tf", strings.Replace(configuration, `"Mail"`, `"Post"`, 1))
	c.run(0, "apply", "-auto-approve")
	c.path = newer
	c.run(0, "plan", "-detailed-exitcode")
	c.path = older
	c.run(0, "destroy", "-auto-approve")
}

// writes counts the requests that are more than questions.
func writes(plane *providertest.Plane) int {
	return len(slices.DeleteFunc(plane.Seen(), func(r devserver.Request) bool {
		return r.Method == http.MethodGet || strings.HasSuffix(r.Path, "/query")
	}))
}
