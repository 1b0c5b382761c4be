terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_listeners" "all" {}

# Listener IDs by cluster.
output "listener_ids" {
  value = { for listener in data.agentplane_listeners.all.listeners : listener.compute_id => listener.id }
}
