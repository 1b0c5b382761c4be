package providertest_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccMocks tests the README's configuration with mocks in place of the provider: no validator refuses what they make of the listener.
func TestAccMocks(t *testing.T) {
	t.Parallel()
	testMocks(t, 7)
}

// TestAccMocks_next does so with the newest Terraform, whose mocks differ.
func TestAccMocks_next(t *testing.T) {
	t.Parallel()
	testMocks(t, 14)
}

func testMocks(t *testing.T, terraform int) {
	t.Helper()
	c := startCLI(t, providertest.NewDev(t))
	c.needs(terraform, 8)
	configuration := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindStringSubmatch(readText(t, filepath.Join(root, "README.md")))
	c.write("main.tf", configuration[1])
	c.write("mocks.tftest.hcl", `mock_provider "agentplane" {}

run "plans" {
  command = plan
}

run "applies" {
  assert {
    condition     = agentplane_deployment.chat.source_config.listener_id == data.agentplane_listener.cluster.id
    error_message = "The deployment has no listener."
  }
}
`)
	if told := c.run(0, "test"); !strings.Contains(told, "2 passed, 0 failed") {
		t.Errorf("the tests with mocks:\n%s", told)
	}
	c.write("main.tf", strings.Replace(configuration[1], "data.agentplane_listener.cluster.id", `"cluster"`, 1))
	if told := c.run(1, "plan"); !strings.Contains(told, "must be a UUID") {
		t.Errorf("a literal that is no UUID:\n%s", told)
	}
}

// TestAccMocks_plan mocks what an apply computes in a plan, as the guide does for Terraform. Without that, the plan fails at the check.
func TestAccMocks_plan(t *testing.T) {
	t.Parallel()
	c := startCLI(t, providertest.NewDev(t))
	c.needsTerraform(11)
	guide := filepath.Join("templates", "guides", "testing.md")
	mocks := blockWith(t, guide, "override_during")
	c.write("main.tf", blockWith(t, guide, "# main.tf"))
	c.write("plan.tftest.hcl", mocks)
	if told := c.run(0, "test"); !strings.Contains(told, "1 passed, 0 failed") {
		t.Errorf("the plan with mocks:\n%s", told)
	}
	c.write("plan.tftest.hcl", strings.Replace(mocks, "override_during", "# override_during", 1))
	if told := c.run(1, "test"); !strings.Contains(told, "known after apply") {
		t.Errorf("the plan without values:\n%s", told)
	}
}
