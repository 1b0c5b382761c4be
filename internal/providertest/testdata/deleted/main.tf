terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "generation" {
  type    = number
  default = 1
}

variable "protected" {
  type    = bool
  default = false
}

locals {
  each = toset(["gone", "kept"])
}

resource "agentplane_oauth_provider" "base" {
  provider_id = "base"
  name        = "Base"
  client_id   = "agents"
  auth_url    = "https://login.example.com/authorize"
  token_url   = "https://login.example.com/token"
}

resource "agentplane_oauth_token" "base" {
  provider_id     = agentplane_oauth_provider.base.provider_id
  access_token_wo = "the-users-token"
}

resource "agentplane_oauth_provider" "test" {
  for_each            = local.each
  provider_id         = "provider-${each.key}"
  name                = "Generation ${var.generation}"
  client_id           = "agents"
  auth_url            = "https://login.example.com/authorize"
  token_url           = "https://login.example.com/token"
  deletion_protection = var.protected && each.key == "gone"
}

resource "agentplane_oauth_token" "test" {
  for_each               = local.each
  provider_id            = agentplane_oauth_provider.base.provider_id
  access_token_wo        = "token-${each.key}"
  tokens_wo_version      = 1
  provider_account_label = "${each.key} ${var.generation}"
}

resource "agentplane_agent_connection" "test" {
  for_each       = local.each
  agent_id       = "connected-${each.key}"
  oauth_token_id = agentplane_oauth_token.base.id
}

resource "agentplane_agent_provider_token" "test" {
  for_each          = local.each
  agent_id          = "own-${each.key}"
  provider_id       = agentplane_oauth_provider.base.provider_id
  access_token_wo   = "the-agents-own"
  tokens_wo_version = var.generation
}

resource "agentplane_model_price" "test" {
  for_each        = local.each
  name            = "model-${each.key}"
  match_pattern   = "^model-${each.key}$"
  prompt_cost     = "${var.generation}e-6"
  completion_cost = "3e-6"
}

resource "agentplane_listener" "test" {
  for_each       = local.each
  compute_id     = "cluster-${each.key}"
  version        = "0.${var.generation}"
  compute_config = { k8s_namespaces = ["agents"] }
}

resource "agentplane_deployment" "test" {
  for_each = local.each
  name     = "agent-${each.key}"
  source   = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }
  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:${var.generation}.0.0"
  }
  deletion_protection = var.protected && each.key == "gone"
}

resource "agentplane_llm_run" "test" {
  for_each     = local.each
  project_name = "runs-${each.key}"
  inputs_json  = jsonencode({ messages = [{ role = "user", content = "Hello" }] })
  outputs_json = jsonencode({ role = "assistant", content = "Hello!" })
}
