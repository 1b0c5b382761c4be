terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_platform_oauth_providers" "all" {}

output "platform_providers" {
  value = data.agentplane_platform_oauth_providers.all.oauth_providers[*].name
}
