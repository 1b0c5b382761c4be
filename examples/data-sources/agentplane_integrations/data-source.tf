terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_integrations" "all" {}

# Integrations by ID, because two accounts may have the same name.
output "accounts" {
  value = { for integration in data.agentplane_integrations.all.integrations : integration.id => integration.name }
}
