terraform {
  required_version = ">= 1.11"

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

resource "agentplane_agent_provider_token" "assistant" {
  agent_id          = "assistant"
  provider_id       = "calendar"
  access_token_wo   = "the-agents-own-token"
  tokens_wo_version = 1
}
