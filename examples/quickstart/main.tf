terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# Address, key and workspace come from AGENTPLANE_BASE_URL, AGENTPLANE_API_KEY and AGENTPLANE_WORKSPACE_ID.
provider "agentplane" {}

variable "listener_id" {
  description = "Listener that runs the deployment."
  type        = string
}

variable "k8s_namespace" {
  description = "Namespace of the listener's cluster that the deployment runs in."
  type        = string
}

variable "image" {
  description = "Container image of the agent server."
  type        = string
  default     = "registry.example.com/agents/chat:1.0.0"
}

resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"

  source_config = {
    listener_id = var.listener_id
    listener_config = {
      k8s_namespace = var.k8s_namespace
    }
  }

  # A change here rolls out a new revision of the same deployment.
  source_revision_config = {
    image_uri = var.image
  }

  environment = {
    LOG_LEVEL  = "info"
    MODEL_NAME = "example-large"
  }
}

output "id" {
  value = agentplane_deployment.chat.id
}

output "latest_revision_id" {
  value = agentplane_deployment.chat.latest_revision_id
}

output "status" {
  value = agentplane_deployment.chat.status
}
