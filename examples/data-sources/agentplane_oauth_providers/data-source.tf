terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_oauth_providers" "organization" {}

# Names by provider_id.
output "oauth_providers" {
  value = { for provider in data.agentplane_oauth_providers.organization.oauth_providers : provider.provider_id => provider.name }
}
