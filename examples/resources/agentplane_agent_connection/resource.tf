terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# The agent acts for the user of the provider's API key. Until that user has logged in, the connection is pending.
resource "agentplane_agent_connection" "assistant" {
  agent_id    = "assistant"
  provider_id = "calendar"
}
