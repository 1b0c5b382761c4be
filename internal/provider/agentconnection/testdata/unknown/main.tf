variable "agent" {
  default = "helper"
}

variable "tokens" {
  default = 1
}

# Its output is unknown in a plan that changes it.
resource "terraform_data" "late" {
  input = var.agent
}

resource "agentplane_oauth_token" "test" {
  provider_id       = "calendar"
  access_token_wo   = "token ${var.tokens}"
  tokens_wo_version = var.tokens
}

resource "agentplane_agent_connection" "test" {
  agent_id       = "connected"
  oauth_token_id = agentplane_oauth_token.test.id
}

resource "agentplane_agent_provider_token" "test" {
  agent_id          = terraform_data.late.output
  provider_id       = "calendar"
  access_token_wo   = "canary"
  tokens_wo_version = 1
}
