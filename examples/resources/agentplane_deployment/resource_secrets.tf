terraform {
  required_version = ">= 1.11" # Write-only arguments.

  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

variable "model_api_key" {
  type      = string
  sensitive = true
  ephemeral = true
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "mailer" {
  name                   = "mailer"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/mailer:2.0.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }

  # The key is stored neither in the plan nor in the state.
  secrets_wo = {
    MODEL_API_KEY = var.model_api_key
  }
}
