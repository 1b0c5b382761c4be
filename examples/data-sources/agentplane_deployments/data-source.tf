terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# All deployments whose name contains "chat".
data "agentplane_deployments" "chat" {
  name_contains = "chat"
  status        = "READY"
}

output "images" {
  value = {
    for deployment in data.agentplane_deployments.chat.deployments :
    deployment.name => deployment.source_revision_config.image_uri
  }
}
