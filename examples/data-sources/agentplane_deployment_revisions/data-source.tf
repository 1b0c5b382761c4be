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

resource "agentplane_deployment" "planner" {
  name                   = "planner"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/planner:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# The last three deployed revisions, to which you can roll back.
data "agentplane_deployment_revisions" "deployed" {
  deployment_id = agentplane_deployment.planner.id
  status        = ["DEPLOYED"]
  max_results   = 3
}

output "images" {
  value = data.agentplane_deployment_revisions.deployed.revisions[*].source_revision_config.image_uri
}
