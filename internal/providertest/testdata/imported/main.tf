terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "listener_id" {}
variable "k8s_namespace" {}

resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.4.0"
  }
}
