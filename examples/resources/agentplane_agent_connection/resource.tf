terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_oauth_tokens" "calendar" {
  provider_id = "calendar"
}

# The agent acts for the user of the provider's API key.
resource "agentplane_agent_connection" "assistant" {
  agent_id       = "assistant"
  oauth_token_id = one([for token in data.agentplane_oauth_tokens.calendar.tokens : token.id if token.is_default])
}
