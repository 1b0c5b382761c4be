terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_integration" "example_org" {
  name = "example-org"
}

output "integration_id" {
  value = data.agentplane_integration.example_org.id
}
