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

resource "agentplane_deployment" "sales" {
  name                   = "sales"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/sales:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# By name. A deployment from another configuration can be read the same way.
data "agentplane_deployment" "sales" {
  name = agentplane_deployment.sales.name
}

output "variables" {
  value = data.agentplane_deployment.sales.environment_names
}
