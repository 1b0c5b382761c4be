terraform {
  required_version = ">= 1.11" # Ephemeral resources and write-only arguments.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# Fails with the URL of the login unless the user is logged in with these scopes.
ephemeral "agentplane_oauth_access_token" "calendar" {
  provider_id       = "calendar"
  scopes            = ["calendar.read"]
  minimum_remaining = "10m"
}

# The token is stored neither in the plan nor in the state.
resource "agentplane_agent_provider_token" "assistant" {
  agent_id          = "assistant"
  provider_id       = "calendar"
  access_token_wo   = ephemeral.agentplane_oauth_access_token.calendar.access_token
  tokens_wo_version = 1
}
