terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
    random     = { source = "hashicorp/random" }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

# A key that other systems share with the agent. It is stored in the state.
resource "random_password" "webhook" {
  length = 32
}

resource "agentplane_deployment" "chat" {
  name                   = "chat-webhook"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }

  secrets = {
    WEBHOOK_KEY = random_password.webhook.result
  }
}
