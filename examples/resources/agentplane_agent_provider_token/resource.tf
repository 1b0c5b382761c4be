terraform {
  required_version = ">= 1.11" # Write-only arguments.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "client_secret" {
  description = "Secret of the client, which is also the agent's access token at the service."
  type        = string
  sensitive   = true
  ephemeral   = true
}

resource "agentplane_oauth_provider" "tickets" {
  provider_id      = "tickets"
  name             = "Tickets"
  client_id        = "agents"
  client_secret_wo = var.client_secret
  auth_url         = "https://tickets.example.com/authorize"
  token_url        = "https://tickets.example.com/token"
}

# The token of a service account, used for all users of the agent. It is stored neither in the plan nor in the state.
resource "agentplane_agent_provider_token" "assistant" {
  agent_id               = "assistant"
  provider_id            = agentplane_oauth_provider.tickets.provider_id
  access_token_wo        = var.client_secret
  tokens_wo_version      = 1 # Increase it with a new token.
  scopes                 = ["tickets.read"]
  provider_account_label = "assistant@example.com"
}
