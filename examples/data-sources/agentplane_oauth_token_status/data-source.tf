terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_oauth_token_status" "assistant" {
  provider_ids = ["calendar"]
}

check "calendar_is_connected" {
  assert {
    condition     = data.agentplane_oauth_token_status.assistant.has_token["calendar"]
    error_message = "Nobody is logged in at the calendar: the assistant can't read it."
  }
}
