terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "listener_config" {
  type    = object({ k8s_namespace = string })
  default = null
}

resource "agentplane_deployment" "it" {
  name   = "research-agent"
  source = "external_container"

  source_config = {
    listener_id     = "b8d1e7a4-25f3-4c69-9b07-4a6c8e0f2d13"
    listener_config = var.listener_config
    custom_url      = "https://research-agent.agents.example.com"
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/research:1.4.0"
  }
}
