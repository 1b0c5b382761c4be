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

resource "agentplane_deployment" "translator" {
  name                   = "translator"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/translator:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# The newest revision. To read another one, set id.
data "agentplane_deployment_revision" "newest" {
  deployment_id = agentplane_deployment.translator.id
}

output "rollout" {
  value = data.agentplane_deployment_revision.newest.status
}
