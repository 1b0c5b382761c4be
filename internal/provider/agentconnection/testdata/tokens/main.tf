variable "blocks" {
  type    = string
  default = "one"
}

variable "generation" {
  type    = number
  default = 1
}

resource "terraform_data" "generation" {
  input = var.generation
}

resource "agentplane_agent_provider_token" "one" {
  count = var.blocks == "one" || var.blocks == "both" ? 1 : 0

  agent_id          = "helper"
  provider_id       = "calendar"
  access_token_wo   = "first"
  tokens_wo_version = 1
}

resource "agentplane_agent_provider_token" "two" {
  count = var.blocks == "two" || var.blocks == "both" ? 1 : 0

  agent_id          = "helper"
  provider_id       = "calendar"
  access_token_wo   = "second"
  tokens_wo_version = 1
}

resource "agentplane_agent_provider_token" "replaced" {
  count = var.blocks == "replaced" ? 1 : 0

  agent_id          = "helper"
  provider_id       = "calendar"
  access_token_wo   = "third"
  tokens_wo_version = 1

  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.generation]
  }
}
