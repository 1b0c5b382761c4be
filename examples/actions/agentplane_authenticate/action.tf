terraform {
  required_version = ">= 1.14" # Actions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# Shows the URL of the login and waits: terraform apply -invoke=action.agentplane_authenticate.calendar
action "agentplane_authenticate" "calendar" {
  config {
    provider_id = "calendar"
    scopes      = ["calendar.read"]
    agent_id    = "assistant"
    timeout     = "5m"
  }
}
