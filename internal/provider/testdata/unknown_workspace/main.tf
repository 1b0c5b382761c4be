variable "listener_id" {}
variable "k8s_namespace" {}
variable "workspace_id" {}

variable "delete_tracing_project" {
  default = null
}

variable "generation" {
  default = 1
}

# Whatever knows the workspace only during the apply.
resource "terraform_data" "workspace" {
  input = {
    id         = var.workspace_id
    generation = var.generation
  }
}

resource "agentplane_deployment" "test" {
  name                   = "tf-acc-unknown-workspace"
  source                 = "external_container"
  workspace_id           = terraform_data.workspace.output.id
  delete_tracing_project = var.delete_tracing_project

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }
}

resource "agentplane_listener" "test" {
  compute_id     = "unknown-workspace"
  workspace_id   = terraform_data.workspace.output.id
  compute_config = { k8s_namespaces = ["agents"] }
}

resource "agentplane_oauth_provider" "test" {
  provider_id  = "unknown-workspace"
  name         = "Acme"
  client_id    = "agents"
  auth_url     = "https://login.example.com/authorize"
  token_url    = "https://login.example.com/token"
  workspace_id = terraform_data.workspace.output.id
}

resource "agentplane_model_price" "test" {
  name            = "unknown-workspace"
  match_pattern   = "^chat-1$"
  prompt_cost     = "2e-6"
  completion_cost = "0.000008"
  workspace_id    = terraform_data.workspace.output.id
}

resource "agentplane_llm_run" "test" {
  project_name = "unknown-workspace"
  inputs_json  = jsonencode({ messages = [{ role = "user", content = "Hello" }] })
  outputs_json = jsonencode({ messages = [{ role = "assistant", content = "Hi" }] })
  workspace_id = terraform_data.workspace.output.id
}
