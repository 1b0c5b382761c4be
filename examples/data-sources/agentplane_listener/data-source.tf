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

output "listener_id" {
  value = data.agentplane_listener.cluster.id
}

output "namespaces" {
  value = data.agentplane_listener.cluster.compute_config.k8s_namespaces
}
