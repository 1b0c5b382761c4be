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

resource "agentplane_deployment" "indexer" {
  name                   = "indexer"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/indexer:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# The last 20 lines of the newest revision's deploy log.
data "agentplane_deployment_revision_logs" "deploy" {
  deployment_id = agentplane_deployment.indexer.id
  type          = "deploy"
  max_lines     = 20
}

output "deploy_log" {
  value     = join("\n", data.agentplane_deployment_revision_logs.deploy.lines[*].message)
  sensitive = true
}
