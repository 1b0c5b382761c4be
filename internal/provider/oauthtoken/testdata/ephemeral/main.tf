ephemeral "agentplane_oauth_access_token" "test" {
  provider_id       = "calendar"
  scopes            = ["read"]
  minimum_remaining = "10m"
}

resource "agentplane_agent_provider_token" "test" {
  agent_id          = "helper"
  provider_id       = "calendar"
  access_token_wo   = ephemeral.agentplane_oauth_access_token.test.access_token
  tokens_wo_version = 1
}
