terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_listeners" "all" {}

# Listener ids by the compute that they deploy to.
output "listener_ids" {
  value = { for listener in data.agentplane_listeners.all.listeners : listener.compute_id => listener.id }
}
