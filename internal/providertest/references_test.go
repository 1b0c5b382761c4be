package providertest_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// references is a configuration in which every resource that can refer to another one does.
const references = `
terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

provider "agentplane" {
  alias = "other"
}

variable "tokens" {
  default = 1
}

variable "cluster" {
  default = "one"
}

variable "image" {
  default = "1.0.0"
}

variable "unrelated" {
  default = "one"
}

resource "agentplane_oauth_provider" "crm" {
  provider_id = "crm"
  name        = "CRM"
  client_id   = "agents"
  auth_url    = "https://crm.example.com/authorize"
  token_url   = "https://crm.example.com/token"
}

resource "agentplane_oauth_token" "crm" {
  provider_id       = agentplane_oauth_provider.crm.provider_id
  access_token_wo   = "token ${var.tokens}"
  tokens_wo_version = var.tokens
}

resource "agentplane_agent_connection" "chat" {
  agent_id       = "chat"
  oauth_token_id = agentplane_oauth_token.crm.id
}

resource "agentplane_listener" "cluster" {
  compute_id     = var.cluster
  compute_config = { k8s_namespaces = ["agents"] }
}

resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"
  source_config = {
    listener_id     = agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
  source_revision_config = { image_uri = "registry.example.com/agents/chat:${var.image}" }
}

resource "agentplane_llm_run" "by_id" {
  deployment_id = agentplane_deployment.chat.id
  inputs_json   = jsonencode("Hi")
  outputs_json  = jsonencode("Hello")
}

# Unknown whenever the ID of the deployment is.
resource "agentplane_llm_run" "by_name" {
  project_name = agentplane_deployment.chat.id == "" ? "none" : agentplane_deployment.chat.name
  inputs_json  = jsonencode("Hi")
  outputs_json = jsonencode("Hello")
}

module "unrelated" {
  source = "./unrelated"
  value  = var.unrelated
}

# A change in the module leaves everything here to the apply.
module "settings" {
  source     = "./settings"
  depends_on = [module.unrelated]
}

resource "agentplane_deployment" "settled" {
  name   = "settled"
  source = "external_container"
  source_config = {
    listener_id     = module.settings.listener_id
    listener_config = { k8s_namespace = module.settings.namespace }
  }
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.0.0" }
}

resource "agentplane_llm_run" "settled" {
  deployment_id = module.settings.listener_id == "" ? null : agentplane_deployment.settled.id
  inputs_json   = jsonencode(module.settings.namespace)
  outputs_json  = jsonencode("Hello")
  metadata      = { namespace = module.settings.namespace }
  tags          = [module.settings.namespace]
}
`

const unrelatedModule = `
variable "value" {}

resource "terraform_data" "unrelated" {
  input = var.value
}
`

const settingsModule = `
terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

data "agentplane_listener" "settled" {
  compute_id = "settled"
}

output "listener_id" {
  value = data.agentplane_listener.settled.id
}

output "namespace" {
  value = one(data.agentplane_listener.settled.compute_config.k8s_namespaces)
}
`

// anotherAlias logs a run with another configuration of the provider, which doesn't know what the first one plans.
const anotherAlias = `
resource "agentplane_llm_run" "elsewhere" {
  provider      = agentplane.other
  deployment_id = agentplane_deployment.chat.id
  inputs_json   = jsonencode("Hi")
  outputs_json  = jsonencode("Hello")
}
`

// immediate is a dev server whose rollouts take no time: the provider runs in its own process, which waits in real time.
func immediate(cfg *devserver.Config) { cfg.Clock, cfg.Rollout = nil, time.Millisecond }

// startReferences applies the configuration.
func startReferences(t *testing.T, more string) *cli {
	t.Helper()
	t.Parallel()
	plane := providertest.NewDev(t, immediate)
	plane.Call(http.MethodPost, "/dev/listeners", map[string]any{"compute_id": "settled", "k8s_namespaces": []string{"agents"}}, nil)
	c := startCLI(t, plane)
	if more == "" {
		c.attach() // Two configurations of the provider need two processes.
	}
	c.write("main.tf", references+more)
	c.write("unrelated/main.tf", unrelatedModule)
	c.write("settings/main.tf", settingsModule)
	c.shell("terraform get")
	c.run(0, "apply", "-auto-approve")
	return c
}

// planned saves a plan with these arguments, and returns the addresses of what it replaces, and of everything else that it changes.
func (c *cli) planned(arguments ...string) (replaced, changed []string) {
	c.t.Helper()
	c.run(0, append([]string{"plan", "-out=saved"}, arguments...)...)
	var plan tfjson.Plan
	shown, err := c.command("show", "-json", "saved").Output()
	if err == nil {
		err = json.Unmarshal(shown, &plan)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	for _, each := range plan.ResourceChanges {
		name := strings.TrimPrefix(each.Address, "agentplane_")
		switch actions := each.Change.Actions; {
		case actions.Replace():
			replaced = append(replaced, name)
		case !actions.NoOp() && !actions.Read():
			changed = append(changed, name)
		}
	}
	slices.Sort(replaced)
	slices.Sort(changed)
	return replaced, changed
}

// ids are the IDs of the root module's resources in the state, by address.
func (c *cli) ids() map[string]string {
	c.t.Helper()
	var state tfjson.State
	shown, err := c.command("show", "-json").Output()
	if err == nil {
		err = json.Unmarshal(shown, &state)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	ids := map[string]string{}
	for _, r := range state.Values.RootModule.Resources {
		ids[strings.TrimPrefix(r.Address, "agentplane_")], _ = r.AttributeValues["id"].(string)
	}
	return ids
}

// follow saves a plan that replaces exactly these resources and changes nothing else, applies it, and expects nothing to be left to do.
func (c *cli) follow(want []string, arguments ...string) {
	c.t.Helper()
	before := c.ids()
	replaced, changed := c.planned(arguments...)
	if diff := cmp.Diff(want, replaced); diff != "" || len(changed) > 0 {
		c.t.Fatalf("%s: replaced (-want +got):\n%s\nchanged otherwise: %s, want nothing", arguments, diff, changed)
	}
	c.run(0, "apply", "saved")
	after := c.ids()
	for _, address := range slices.Sorted(maps.Keys(before)) {
		if stays := before[address] == after[address]; stays == slices.Contains(want, address) {
			c.t.Errorf("%s: %s was %s and is %s", arguments, address, before[address], after[address])
		}
	}
	variables := slices.DeleteFunc(slices.Clone(arguments), func(a string) bool { return !strings.HasPrefix(a, "-var") })
	c.run(0, append([]string{"plan", "-detailed-exitcode"}, variables...)...)
}

// TestAccReferences replaces what others refer to: they are replaced with it, by one apply of a saved plan. What only may change isn't.
func TestAccReferences(t *testing.T) {
	c := startReferences(t, "")
	runs := []string{"llm_run.by_id", "llm_run.by_name"}
	deployed := append([]string{"deployment.chat"}, runs...)
	all := append([]string{"deployment.chat", "listener.cluster"}, runs...)
	c.follow([]string{"agent_connection.chat", "oauth_token.crm"}, "-var=tokens=2")
	c.follow(all, "-var=tokens=2", "-var=cluster=two")
	c.follow(all, "-var=tokens=2", "-var=cluster=three", "-refresh=false")
	c.write("terraform.tfvars", "tokens = 2\ncluster = \"three\"\n")
	c.follow(all, "-replace=agentplane_listener.cluster")
	c.follow(deployed, "-replace=agentplane_deployment.chat", "-refresh=false")
	c.run(0, "taint", "agentplane_deployment.chat")
	c.follow(deployed)
	c.run(0, "taint", "agentplane_listener.cluster")
	c.follow(all, "-refresh=false")
	c.run(0, "destroy", "-auto-approve")
}

// TestAccReferences_unrelated leaves values to the apply that then turn out to be the same: nothing is replaced and no run logged.
func TestAccReferences_unrelated(t *testing.T) {
	c := startReferences(t, "")
	before := c.ids()
	for generation, arguments := range map[string][]string{"two": nil, "three": {"-refresh=false"}} {
		replaced, changed := c.planned(append(arguments, "-var=unrelated="+generation)...)
		want := []string{"deployment.settled", "llm_run.settled", "module.unrelated.terraform_data.unrelated"}
		if diff := cmp.Diff(want, changed); diff != "" || len(replaced) > 0 {
			t.Fatalf("changed (-want +got):\n%s\nreplaced: %s, want nothing", diff, replaced)
		}
		c.run(0, "apply", "saved")
		if diff := cmp.Diff(before, c.ids()); diff != "" {
			t.Errorf("IDs (-before +after):\n%s", diff)
		}
		c.run(0, "plan", "-detailed-exitcode", "-var=unrelated="+generation)
	}
}

// TestAccReferences_elsewhere replaces a deployment to which a run of another configuration of the provider refers: the apply stops with
// an error, the run stays as it is, and the next apply replaces it.
func TestAccReferences_elsewhere(t *testing.T) {
	c := startReferences(t, anotherAlias)
	const run = "llm_run.elsewhere"
	before := c.ids()
	replaced, changed := c.planned("-replace=agentplane_deployment.chat")
	if diff := cmp.Diff([]string{run}, changed); diff != "" || slices.Contains(replaced, run) {
		t.Fatalf("changed (-want +got):\n%s\nreplaced: %s, want not the run", diff, replaced)
	}
	output := c.run(1, "apply", "saved")
	if after := c.ids(); after[run] != before[run] || after["deployment.chat"] == before["deployment.chat"] {
		t.Errorf("IDs = %v, want another deployment than in %v, and the same run", after, before)
	}
	if !strings.Contains(output, "agentplane_"+run) {
		t.Errorf("the output doesn't name the run:\n%s", output)
	}
	c.follow([]string{run})
}
