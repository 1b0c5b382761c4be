terraform {
  required_version = ">= 1.14" # Actions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# Logs the user out of the calendar: terraform apply -invoke=action.agentplane_revoke_oauth_tokens.calendar
action "agentplane_revoke_oauth_tokens" "calendar" {
  config {
    provider_id = "calendar"
  }
}
