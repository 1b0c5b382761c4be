terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

resource "agentplane_oauth_provider" "it" {
  provider_id = "calendar"
  name        = "Calendar"
  client_id   = "agents"
  auth_url    = "https://login.example.com/authorize"
  token_url   = "https://login.example.com/token"
}
