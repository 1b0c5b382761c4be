package deployment_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// blocks writes a configuration with a deployment for each label: labels and names take turns, and so do expressions for names.
func (c *cli) blocks(named ...string) {
	c.t.Helper()
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n    agentplane = { source = \"agentplane/agentplane\" }\n  }\n}\n" +
		"variable \"listener_id\" {}\nvariable \"k8s_namespace\" {}\nvariable \"suffix\" {\n  default = \"1\"\n}\n" +
		"resource \"terraform_data\" \"suffix\" {\n  input = var.suffix\n}\n")
	cleans := ""
	if c.plane.Dialect().ProjectsBlockNames {
		cleans = "  delete_tracing_project = true\n"
	}
	for i := 0; i < len(named); i += 2 {
		fmt.Fprintf(&b, "resource \"agentplane_deployment\" %q {\n  name   = %q\n  source = \"external_container\"\n  wait_for_deployed = false\n"+
			"%s  source_config = {\n    listener_id     = var.listener_id\n    listener_config = { k8s_namespace = var.k8s_namespace }\n  }\n"+
			"  source_revision_config = { image_uri = \"registry.example.com/agents/chat:1.0.0\" }\n}\n", named[i], named[i+1], cleans)
	}
	if err := os.WriteFile(filepath.Join(c.directory, "main.tf"), []byte(b.String()), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// TestAccNames_cli runs the plans of TestAccNames with a real CLI, each of them ten times where an order could matter.
func TestAccNames_cli(t *testing.T) {
	t.Parallel()
	c := newCLI(t, buildProvider(t))
	writes := func() int {
		return len(c.plane.Requests(http.MethodPost, "/v2/deployments")) + len(c.plane.Requests(http.MethodDelete, "/v2/deployments/*"))
	}
	c.blocks("one", "tf-acc-one", "two", "tf-acc-two")
	c.expect(true, "Apply complete!", nil, "apply", "-auto-approve")
	c.plane.Clock.Advance(providertest.Rollout)
	c.expect(true, "", nil, "apply", "-auto-approve", "-refresh-only")
	before := writes()

	c.blocks("renamed", "tf-acc-one", "two", "tf-acc-two")
	for range 10 {
		c.expect(true, "If it is in state at another address, add a `moved` block instead", nil, "plan")
	}
	c.blocks("one", "tf-acc-two", "two", "tf-acc-one")
	c.expect(false, "has that name, and names are unique in a workspace", nil, "plan")
	c.blocks("one", "tf-acc-same", "two", "tf-acc-same")
	for range 10 {
		c.expect(false, "Name is claimed twice", nil, "plan")
	}
	if now := writes(); now != before {
		t.Errorf("%d deployments were created or deleted, want none", now-before)
	}
	c.blocks("renamed", "tf-acc-one", "other", "tf-acc-two")
	c.expect(true, "3 to destroy", nil, "plan", "-destroy")
}

// TestAccUndecided_abandoned abandons a plan that leaves a replacement open. A plan without a refresh then shows the replacement, and
// explains what an apply, which looks the same to the provider, says beside it.
func TestAccUndecided_abandoned(t *testing.T) {
	t.Parallel()
	c := newCLI(t, buildProvider(t))
	c.blocks("one", "tf-acc-one-${terraform_data.suffix.output}")
	c.expect(true, "Apply complete!", nil, "apply", "-auto-approve")
	c.plane.Clock.Advance(providertest.Rollout)
	c.expect(true, "", nil, "apply", "-auto-approve", "-refresh-only")

	c.expect(true, "Replacement not decided", nil, "plan", "-var=suffix=2")
	c.blocks("one", "tf-acc-other")
	const explained = "Replacement planned without a refresh"
	for range 2 {
		c.expect(true, explained, nil, "plan", "-refresh=false")
	}
	if output, ok := c.run(nil, "plan"); !ok || strings.Contains(output, explained) || !strings.Contains(output, "must be replaced") {
		t.Errorf("a plan with a refresh says %s", output)
	}
	c.blocks("one", "tf-acc-one-${terraform_data.suffix.output}")
	output, ok := c.run(nil, "apply", "-auto-approve", "-var=suffix=2")
	for _, part := range []string{explained, "not a bug of the provider", "Provider produced inconsistent final plan"} {
		if ok || !strings.Contains(output, part) {
			t.Errorf("the apply succeeded: %t, want %q in %s", ok, part, output)
		}
	}
	if deleted := c.plane.Requests(http.MethodDelete, "/v2/deployments/*"); len(deleted) > 0 {
		t.Errorf("%d deployments were deleted, want none", len(deleted))
	}
}
