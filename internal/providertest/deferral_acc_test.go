package providertest_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDeferral_experimental plans everything that can be deferred with a provider whose configuration another resource knows only after
// its apply: nothing of it fails, and a second apply makes up for it. Only a Terraform with experiments allowed defers. It doesn't allow
// ephemeral resources to.
func TestAccDeferral_experimental(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, quick)
	registered(plane)
	c := startCLI(t, plane)
	const notAllowed = "only valid in experimental builds"
	if output, _ := c.command("plan", "-allow-deferral").CombinedOutput(); strings.Contains(string(output), notAllowed) || !c.atLeast(14, math.MaxInt) {
		if os.Getenv("AGENTPLANE_TEST_NEXT") != "" {
			t.Fatalf("experiments are not allowed:\n%s", output)
		}
		t.Skip("needs a Terraform 1.14 with experiments allowed")
	}
	var listener struct{ ID string }
	plane.Call("POST", "/v2/listeners", map[string]any{
		"compute_type": "k8s", "compute_id": "adopted", "compute_config": map[string]any{"k8s_namespaces": []string{"agents"}},
	}, &listener)
	c.write("main.tf", fmt.Sprintf(`terraform {
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

data "agentplane_listener" "production" {
  compute_id = "production"
}

import {
  to = agentplane_listener.adopted
  id = %q
}

resource "agentplane_listener" "adopted" {
  compute_id     = "adopted"
  compute_config = { k8s_namespaces = ["agents"] }
}

action "agentplane_revoke_oauth_tokens" "calendar" {
  config {
    provider_id = "calendar"
  }
}

resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"
  source_config = {
    listener_id     = data.agentplane_listener.production.id
    listener_config = { k8s_namespace = "agents" }
  }
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.4.0" }
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.agentplane_revoke_oauth_tokens.calendar]
    }
  }
}
`, listener.ID))
	before := len(plane.Server.Requests())
	if told := c.run(0, "plan", "-allow-deferral"); !strings.Contains(told, "1 to add, 0 to change, 0 to destroy") {
		t.Errorf("the plan with an unknown configuration:\n%s", told)
	}
	if sent := len(plane.Server.Requests()) - before; sent > 0 {
		t.Errorf("%d requests were sent without a configuration", sent)
	}
	if told := c.run(1, "plan"); !strings.Contains(told, "Provider configuration not known yet") {
		t.Errorf("the plan that defers nothing:\n%s", told)
	}
	logIn(plane)
	c.run(0, "apply", "-allow-deferral", "-auto-approve")
	if told := c.run(0, "apply", "-allow-deferral", "-auto-approve"); !strings.Contains(told, "1 imported, 1 added, 0 changed, 0 destroyed") {
		t.Errorf("the second apply:\n%s", told)
	}
}
