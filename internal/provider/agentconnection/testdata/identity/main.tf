variable "id" {
  type = string
}

import {
  to = agentplane_agent_provider_token.test

  identity = {
    agent_id = "helper"
    id       = var.id
  }
}

resource "agentplane_agent_provider_token" "test" {
  agent_id          = "helper"
  provider_id       = "calendar"
  access_token_wo   = "canary-access-token"
  tokens_wo_version = 1
}
