terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"

  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }

  # A new image rolls out a new revision of the same deployment.
  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.4.0"
  }

  environment = {
    LOG_LEVEL = "info"
  }
}
