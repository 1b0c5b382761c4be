terraform {
  required_version = ">= 1.11"

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

resource "agentplane_oauth_token" "calendar" {
  provider_id       = "calendar"
  access_token_wo   = "the-users-own-token"
  tokens_wo_version = 1
  scopes            = ["calendar.read"]
  is_default        = true
}
