terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"

  source_config = {
    listener_id = data.agentplane_listener.cluster.id
    listener_config = {
      k8s_namespace = "agents"
    }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.4.0"
  }
}

# The project that collects the traces of the deployment.
data "agentplane_tracing_project" "chat" {
  deployment_id = agentplane_deployment.chat.id
}

output "tracing_project_id" {
  value = data.agentplane_tracing_project.chat.id
}
