terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

variable "pushed_at" {
  description = "When the tag was last pushed. Another value deploys the image again."
  type        = string
  default     = "2026-11-30T09:00:00Z"
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "nightly" {
  name                   = "nightly"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/chat:nightly" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }

  triggers = { pushed_at = var.pushed_at }
}
