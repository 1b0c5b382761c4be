# Every kind of resource, in both dialects. Stage 1 creates them, and stage 2 changes some of them.

terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

variable "stage" {
  default = 2
}

variable "listener_id" {}
variable "integration_id" {}
variable "repo_url" {}
variable "mcp_server_url" {}
variable "imported_oauth_token_id" {}
variable "imported_connection_id" {}
variable "imported_agent_token_id" {}
variable "imported_model_price_id" {}
variable "imported_run_project_id" {}
variable "imported_run_id" {}

locals {
  image  = { image_uri = "registry.example.com/agents/chat:1.0.0" }
  next   = { image_uri = "registry.example.com/agents/chat:1.${var.stage - 1}.0" }
  placed = { listener_id = var.listener_id, listener_config = { k8s_namespace = "agents" } }
}

resource "agentplane_deployment" "minimal" {
  name                   = "minimal"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
}

resource "agentplane_deployment" "updated" {
  name                   = "updated"
  source                 = "external_container"
  source_config          = merge(local.placed, { custom_url = "https://updated.example.com" })
  source_revision_config = local.next
  environment            = { STAGE = tostring(var.stage), EMPTY = "" }
  secrets                = { STORED = "made-up stored secret ${var.stage}" }
  secrets_wo             = { WRITE_ONLY = "made-up write-only secret ${var.stage}" }
  triggers               = { stage = tostring(var.stage) }
  on_failed_create       = "keep"
  deletion_protection    = true
  timeouts               = { create = "5m", read = "1m", update = "6m", delete = "7m" }
}

resource "agentplane_deployment" "write_only" {
  name                   = "write-only"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
  secrets_wo             = { A = "made-up secret a", B = "made-up secret b" }
}

resource "agentplane_deployment" "versioned" {
  name                   = "versioned"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
  secrets_wo             = { TOKEN = "made-up token ${var.stage}" }
  secrets_wo_version     = var.stage
}

resource "agentplane_deployment" "first_version" {
  name                   = "first-version"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
  secrets_wo             = { TOKEN = "made-up token" }
  secrets_wo_version     = var.stage == 1 ? null : 1
}

resource "agentplane_deployment" "declared" {
  name                   = "declared"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
  environment            = { OWN = "own" }
  environment_ownership  = "declared"
}

resource "agentplane_deployment" "triggered" {
  name                   = "triggered"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
  triggers               = var.stage == 1 ? null : { first = "time" }
}

resource "agentplane_deployment" "unwaited" {
  name                   = "unwaited"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
  wait_for_deployed      = false
}

# Its first revision fails, and another apply makes one that is deployed.
resource "agentplane_deployment" "repaired" {
  name                   = "repaired"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
  on_failed_create       = "keep"
}

resource "agentplane_deployment" "of_listener" {
  name   = "of-listener"
  source = "external_container"
  source_config = {
    listener_id     = agentplane_listener.updated.id
    listener_config = { k8s_namespace = "agents" }
    resource_spec   = { min_scale = 1, max_scale = var.stage + 1, labels = { team = "agents" } }
  }
  source_revision_config = local.image
}

resource "agentplane_deployment" "every_field" {
  name   = "every-field"
  source = "external_container"
  source_config = merge(local.placed, {
    resource_spec = {
      min_scale             = 1
      max_scale             = 5
      cpu                   = 2
      cpu_limit             = 3
      memory_mb             = 1024
      memory_limit_mb       = 1536
      queue_min_scale       = 2
      queue_max_scale       = 6
      queue_cpu             = 1
      queue_cpu_limit       = 4
      queue_memory_mb       = 512
      queue_memory_limit_mb = 2048
      cache_memory_mb       = 64

      db_cpu             = 1
      db_cpu_limit       = 2
      db_memory_mb       = 512
      db_memory_limit_mb = 768
      db_storage_gi      = 10
      db_max_connections = 100

      labels               = { "example.com/team" = "agents", plain = "" }
      annotations          = { "example.com/note" = "first" }
      service_account_name = "agent"
      image_pull_secrets   = [{ name = "registry-credentials" }, { name = "more" }]

      volumes = [
        { name = "config", config_map_json = jsonencode({ name = "agent", optional = true }) },
        { name = "keys", secret_json = jsonencode({ secretName = "keys" }) },
        { name = "scratch", empty_dir_json = jsonencode({}) },
        { name = "data", persistent_volume_claim_json = jsonencode({ claimName = "data" }) },
        { name = "share", nfs_json = jsonencode({ server = "nfs.example.com", path = "/share" }) },
        { name = "mixed", projected_json = jsonencode({ sources = [{ configMap = { name = "a" } }, { secret = { name = "b" } }] }) },
        { name = "pod", downward_api_json = jsonencode({ items = [{ path = "labels", fieldRef = { fieldPath = "metadata.labels" } }] }) },
        { name = "driver", csi_json = jsonencode({ driver = "csi.example.com", readOnly = false }) },
      ]
      volume_mounts = [
        { name = "config", mount_path = "/etc/agent", sub_path = "agent.json", read_only = true },
        { name = "data", mount_path = "/data", sub_path_expr = "$(POD_NAME)", mount_propagation = "None", read_only = false },
      ]
      init_containers = [{
        name    = "migrate"
        image   = "registry.example.com/agents/migrate:2.0.0"
        command = ["migrate", "--to", "latest"]
        env     = [{ name = "VERBOSE", value = "1" }]
      }]
      sidecars = [{
        name              = "proxy"
        image             = "registry.example.com/proxy:1.0.0"
        image_pull_policy = "IfNotPresent"
        command           = ["proxy"]
        args              = ["--port", "8080", ""]
        working_dir       = "/srv"
        env = [
          { name = "MODE", value = "tls" },
          { name = "POD_IP", value_from_json = jsonencode({ fieldRef = { fieldPath = "status.podIP" } }) },
        ]
        env_from_json         = [jsonencode({ configMapRef = { name = "proxy" } }), jsonencode({ prefix = "K_", secretRef = { name = "keys" } })]
        resources             = { limits = { memory = "512Mi" }, requests = { cpu = "250m", memory = "128Mi" } }
        volume_mounts         = [{ name = "scratch", mount_path = "/tmp" }]
        security_context_json = jsonencode({ runAsNonRoot = true, capabilities = { drop = ["ALL"] } })
        restart_policy        = "OnFailure"
      }]
    }
  })
  source_revision_config = local.image
}

resource "agentplane_deployment" "git" {
  name   = "git"
  source = "git_host"
  source_config = {
    integration_id  = var.integration_id
    repo_url        = var.repo_url
    deployment_type = "dev"
    build_on_push   = true # A push between the stages makes a revision.
    install_command = "npm ci"
    build_command   = "npm run build"
  }
  source_revision_config = { repo_ref = "main", graph_config_path = "graph.json" }
  environment            = { LOG_LEVEL = "info" }
}

resource "agentplane_deployment" "git_tag" {
  name                   = "git-tag"
  source                 = "git_host"
  source_config          = { integration_id = var.integration_id, repo_url = var.repo_url }
  source_revision_config = { repo_ref = "refs/tags/v1.${var.stage - 1}.0", graph_config_path = "graph.json" }
}

resource "agentplane_deployment" "imported" {
  name                   = "imported"
  source                 = "external_container"
  source_config          = local.placed
  source_revision_config = local.image
}

import {
  to = agentplane_deployment.imported
  id = "name:imported"
}

# Imported, with an environment that the service has already.
resource "agentplane_deployment" "imported_environment" {
  name                   = "imported-environment"
  source                 = "external_container"
  source_config          = merge(local.placed, { resource_spec = { cpu = 2 } })
  source_revision_config = local.image
  environment            = { LOG_LEVEL = "info" }
  secrets_wo             = { TOKEN = "made-up token" }
}

import {
  to = agentplane_deployment.imported_environment
  id = "name:imported-environment"
}

resource "agentplane_listener" "minimal" {
  compute_id     = "minimal"
  compute_config = {}
}

resource "agentplane_listener" "updated" {
  compute_id     = "updated"
  compute_type   = "k8s"
  compute_config = { k8s_namespaces = var.stage == 1 ? ["agents"] : ["agents", "more-agents"] }
  version        = "0.${var.stage}.0"
  timeouts       = { delete = "5m" }
}

resource "agentplane_listener" "empty" {
  compute_id     = "empty"
  compute_config = { k8s_namespaces = [] }
}

resource "agentplane_listener" "imported" {
  compute_id     = "imported"
  compute_config = { k8s_namespaces = ["agents"] }
}

import {
  to = agentplane_listener.imported
  id = "name:imported"
}

resource "agentplane_oauth_provider" "minimal" {
  provider_id   = "minimal"
  name          = "Minimal"
  client_id     = "client"
  client_secret = "made-up client secret"
  auth_url      = "https://login.example.com/authorize"
  token_url     = "https://login.example.com/token"
}

resource "agentplane_oauth_provider" "updated" {
  provider_id                = "updated"
  name                       = "Updated in stage ${var.stage}"
  client_id                  = "client-${var.stage}"
  client_secret_wo           = "made-up client secret ${var.stage}"
  auth_url                   = "https://login.example.com/authorize"
  token_url                  = "https://login.example.com/token"
  uses_pkce                  = true
  code_challenge_method      = "plain"
  provider_type              = "microsoft"
  token_endpoint_auth_method = "client_secret_basic"
  authorization_params       = { access_type = "offline" }
  allowed_redirect_uris      = ["https://agents.example.com/callback"]
  deletion_protection        = true
}

resource "agentplane_oauth_provider" "versioned" {
  provider_id              = "versioned"
  name                     = "Versioned"
  client_id                = "client"
  client_secret_wo         = "made-up client secret ${var.stage}"
  client_secret_wo_version = var.stage
  auth_url                 = "https://login.example.com/authorize"
  token_url                = "https://login.example.com/token"
}

resource "agentplane_oauth_provider" "discovered" {
  provider_id    = "discovered"
  name           = "Discovered"
  mcp_server_url = var.mcp_server_url
}

resource "agentplane_oauth_provider" "imported" {
  provider_id = "imported"
  name        = "Imported"
  client_id   = "client"
  auth_url    = "https://login.example.com/authorize"
  token_url   = "https://login.example.com/token"
}

import {
  to = agentplane_oauth_provider.imported
  id = "imported"
}

resource "agentplane_oauth_token" "minimal" {
  provider_id     = agentplane_oauth_provider.minimal.provider_id
  access_token_wo = "made-up access token"
}

resource "agentplane_oauth_token" "updated" {
  provider_id            = agentplane_oauth_provider.minimal.provider_id
  access_token_wo        = "made-up access token 2"
  refresh_token_wo       = "made-up refresh token 2"
  expires_in_seconds     = 3153600000 # A hundred years.
  scopes                 = ["read", "write"]
  provider_account_label = "stage-${var.stage}@example.com"
  is_default             = var.stage == 2
}

resource "agentplane_oauth_token" "versioned" {
  provider_id       = agentplane_oauth_provider.minimal.provider_id
  access_token_wo   = "made-up access token ${var.stage}"
  tokens_wo_version = 1
}

resource "agentplane_oauth_token" "imported" {
  provider_id            = agentplane_oauth_provider.imported.provider_id
  access_token_wo        = "made-up imported token"
  tokens_wo_version      = 1
  provider_account_label = "imported@example.com"
}

import {
  to = agentplane_oauth_token.imported
  id = var.imported_oauth_token_id
}

resource "agentplane_agent_connection" "by_provider" {
  agent_id    = "assistant"
  provider_id = "toy-login"
}

resource "agentplane_agent_connection" "by_token" {
  agent_id       = "assistant"
  oauth_token_id = agentplane_oauth_token.minimal.id
}

resource "agentplane_agent_connection" "by_label" {
  agent_id               = "labelled"
  provider_id            = agentplane_oauth_provider.imported.provider_id
  provider_account_label = agentplane_oauth_token.imported.provider_account_label
}

resource "agentplane_agent_connection" "imported" {
  agent_id       = "imported"
  oauth_token_id = agentplane_oauth_token.imported.id
}

import {
  to = agentplane_agent_connection.imported
  id = "imported/${var.imported_connection_id}"
}

resource "agentplane_agent_provider_token" "minimal" {
  agent_id          = "assistant"
  provider_id       = agentplane_oauth_provider.minimal.provider_id
  access_token_wo   = "made-up agent token"
  tokens_wo_version = 1
}

resource "agentplane_agent_provider_token" "updated" {
  agent_id               = "assistant"
  provider_id            = agentplane_oauth_provider.versioned.provider_id
  access_token_wo        = "made-up agent token ${var.stage}"
  refresh_token_wo       = "made-up agent refresh token ${var.stage}"
  tokens_wo_version      = var.stage
  scopes                 = ["read", "write"]
  provider_account_label = "assistant@example.com"
  expires_in_seconds     = 3153600000
  renew                  = true
  timeouts               = { create = "1m" }
}

resource "agentplane_agent_provider_token" "imported" {
  agent_id          = "imported"
  provider_id       = agentplane_oauth_provider.imported.provider_id
  access_token_wo   = "made-up agent token"
  tokens_wo_version = 1
}

import {
  to = agentplane_agent_provider_token.imported
  id = "imported/${var.imported_agent_token_id}"
}

resource "agentplane_model_price" "minimal" {
  name            = "minimal"
  match_pattern   = "^minimal$"
  prompt_cost     = "2e-6"
  completion_cost = "0.000003"
}

resource "agentplane_model_price" "updated" {
  name                    = "updated in stage ${var.stage}"
  match_pattern           = "^updated(-\\d{4})?$"
  match_path              = ["model_name", "model"]
  model_provider          = "example"
  prompt_cost             = "2e-6"
  completion_cost         = "${var.stage}e-6"
  prompt_cost_details     = { cache_read = "1e-6", audio = "0.00001" }
  completion_cost_details = { reasoning = "4e-6" }
  prompt_token_threshold  = 200000
  start_time              = "2026-01-01T01:00:00+01:00"
}

resource "agentplane_model_price" "imported" {
  name            = "imported"
  match_pattern   = "^imported$"
  prompt_cost     = "0.000001"
  completion_cost = "0.000002"
}

import {
  to = agentplane_model_price.imported
  id = var.imported_model_price_id
}

resource "agentplane_llm_run" "minimal" {
  project_name = "llm-runs"
  inputs_json  = jsonencode({ messages = [{ role = "user", content = "Hi" }] })
  outputs_json = jsonencode({ role = "assistant", content = "Hello" })
}

resource "agentplane_llm_run" "failed" {
  deployment_id       = agentplane_deployment.minimal.id
  name                = "failed"
  inputs_json         = jsonencode({ model = "example-large", messages = [{ role = "user", content = "Hi" }] })
  error               = "no such model"
  model_name          = "example-huge"
  model_provider      = "example"
  metadata            = { thread_id = "t1", revision = "r1" }
  tags                = ["smoke", "apply"]
  start_time          = "2026-01-01T10:00:00Z"
  duration            = "1.5s"
  time_to_first_token = "250ms"
}

resource "agentplane_llm_run" "priced" {
  deployment_id       = agentplane_deployment.updated.id
  name                = "priced"
  model_name          = agentplane_model_price.minimal.name
  inputs_json         = jsonencode({ messages = [{ role = "user", content = "Hi" }] })
  outputs_json        = jsonencode({ role = "assistant", content = "Hello", usage_metadata = { input_tokens = 20, output_tokens = 10, total_tokens = 30 } })
  duration            = "1.5s"
  time_to_first_token = "250ms"
  triggers            = { stage = tostring(var.stage) }
  timeouts            = { create = "1m" }
}

resource "agentplane_llm_run" "streamed" {
  project_name = "llm-runs"
  start_time   = "2026-01-01T10:00:00Z"
  inputs_json  = jsonencode({ messages = [{ role = "user", content = "Hi" }] })
  stream_json = jsonencode([
    { time = "250ms", chunk = { id = "c1", object = "chat.completion.chunk", model = "minimal", choices = [{ index = 0, delta = { role = "assistant", content = "Hel" } }] } },
    { time = "500ms", chunk = { id = "c1", object = "chat.completion.chunk", model = "minimal", choices = [{ index = 0, delta = { content = "lo" } }] } },
    { time = "1s", chunk = { id = "c1", object = "chat.completion.chunk", model = "minimal", choices = [{ index = 0, delta = {}, finish_reason = "stop" }], usage = { prompt_tokens = 20, completion_tokens = 2, total_tokens = 22 } } },
  ])
}

resource "agentplane_llm_run" "imported" {
  project_id          = var.imported_run_project_id
  name                = "smoke"
  inputs_json         = jsonencode({ messages = [{ content = "Hi", role = "user" }], model = "example-large" })
  outputs_json        = jsonencode({ role = "assistant", content = "Hello", usage_metadata = { input_tokens = 20, output_tokens = 10 } })
  model_name          = "example-huge"
  model_provider      = "example"
  metadata            = { revision = "r1", attempt = "2" }
  tags                = ["smoke", "apply"]
  start_time          = "2026-01-01T11:00:00+01:00"
  duration            = "1500ms"
  time_to_first_token = "0.25s"
}

import {
  to = agentplane_llm_run.imported
  id = "${var.imported_run_project_id}/${var.imported_run_id}"
}
