terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "stored" {
  sensitive = true
}

variable "write_only" {
  ephemeral = true
}

resource "agentplane_deployment" "test" {
  name       = "tf-acc-secrecy"
  source     = "external_container"
  secrets    = { STORED = var.stored }
  secrets_wo = { WRITE_ONLY = var.write_only }

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
    resource_spec = {
      sidecars = [{ name = "proxy", image = "registry.example.com/proxy:1", env = [{ name = "STORED", value = var.stored }] }]
    }
  }
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.0.0" }
}

resource "agentplane_oauth_provider" "stored" {
  provider_id   = "tf-acc-stored"
  name          = "Stored"
  client_id     = "client-1"
  client_secret = var.stored
  auth_url      = "https://login.example.com/authorize"
  token_url     = "https://login.example.com/token"
}

resource "agentplane_oauth_provider" "write_only" {
  provider_id      = "tf-acc-write-only"
  name             = "Write-only"
  client_id        = "client-2"
  client_secret_wo = var.write_only
  auth_url         = "https://login.example.com/authorize"
  token_url        = "https://login.example.com/token"
}

resource "agentplane_llm_run" "test" {
  project_name = "tf-acc-secrecy-runs"
  inputs_json  = jsonencode({ messages = [{ role = "user", content = var.stored }] })
  outputs_json = jsonencode({ role = "assistant", content = var.stored })
}

ephemeral "agentplane_oauth_access_token" "test" {
  provider_id = "tf-acc-logged-in"
}

data "agentplane_oauth_tokens" "test" {
  provider_id = "tf-acc-logged-in"
}

resource "agentplane_agent_connection" "test" {
  agent_id       = "assistant"
  oauth_token_id = one(data.agentplane_oauth_tokens.test.tokens).id
}

resource "agentplane_agent_provider_token" "test" {
  agent_id          = "assistant"
  provider_id       = "tf-acc-logged-in"
  access_token_wo   = ephemeral.agentplane_oauth_access_token.test.access_token
  refresh_token_wo  = var.write_only
  tokens_wo_version = 1
}
