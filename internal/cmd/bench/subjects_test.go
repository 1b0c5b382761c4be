package bench

import (
	"fmt"
	"strings"
)

// subject is a kind of resource that is measured.
type subject struct {
	name string
	// pkg is the package of the provider, and source its address; both are empty for terraform_data.
	pkg, source string
	// config manages var.amount resources.
	config string
}

// subjects contains all of them. The pass-through provider has the same configuration as the real one, and answers with the state of the
// real one, which is therefore measured before it.
var subjects = []subject{
	{name: "terraform_data", config: amountVariable + revisionVariable + `
resource "terraform_data" "test" {
  count = var.amount
  input = "value ${count.index} of ${var.revision}"
}
`},
	{name: "minimal", pkg: "./internal/cmd/bench/minimal", source: "bench/minimal", config: required("minimal", "bench/minimal") + amountVariable + revisionVariable + `
resource "minimal_strings" "test" {
  count = var.amount
` + assignments("  s%d = \"value %[1]d of ${count.index}, ${var.revision}\"\n", 10) + `}
`},
	{name: "agentplane", pkg: ".", source: "agentplane/agentplane", config: deployments},
	{name: "passthrough", pkg: "./internal/cmd/bench/passthrough", source: "agentplane/agentplane", config: deployments},
}

const amountVariable = `
variable "amount" {
  type = number
}
`

// revisionVariable is what a changed plan changes.
const revisionVariable = `
variable "revision" {
  default = 1
}
`

func required(name, source string) string {
	return fmt.Sprintf("terraform {\n  required_providers {\n    %s = { source = %q }\n  }\n}\n", name, source)
}

// deployments are typical ones: 10 environment values, 5 secrets and 8 numbers of resources.
var deployments = required("agentplane", "agentplane/agentplane") + amountVariable + revisionVariable + `
variable "listener_id" {}

variable "k8s_namespace" {}

resource "agentplane_deployment" "test" {
  count  = var.amount
  name   = "bench-${count.index}"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }

    resource_spec = {
      min_scale       = 1
      max_scale       = 4
      cpu             = 1
      cpu_limit       = 2
      memory_mb       = 1024
      memory_limit_mb = 2048
      queue_min_scale = 1
      queue_max_scale = 2
    }
  }

  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.0.${var.revision}" }

  environment = {
` + assignments("    SETTING_%d = \"value %[1]d of ${count.index}\"\n", 10) + `  }

  secrets = {
` + assignments("    SECRET_%d = \"secret %[1]d of ${count.index}\"\n", 5) + `  }
}
`

// assignments repeats a line with its number as the argument.
func assignments(line string, amount int) string {
	var b strings.Builder
	for i := range amount {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}
