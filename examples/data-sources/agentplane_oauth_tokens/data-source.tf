terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_oauth_tokens" "all" {}

output "expiring" {
  value = { for token in data.agentplane_oauth_tokens.all.tokens : token.provider_id => token.expires_at if token.expires_at != null }
}
