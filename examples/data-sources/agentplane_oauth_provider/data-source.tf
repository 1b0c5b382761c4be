terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# Usually, another configuration manages it.
resource "agentplane_oauth_provider" "mail" {
  provider_id = "mail"
  name        = "Mail"
  client_id   = "agents"
  auth_url    = "https://login.example.com/authorize"
  token_url   = "https://login.example.com/token"
}

data "agentplane_oauth_provider" "mail" {
  provider_id = agentplane_oauth_provider.mail.provider_id
}

# The URI to register with the third-party service.
output "mail_redirect_uri" {
  value = data.agentplane_oauth_provider.mail.default_redirect_uri
}
