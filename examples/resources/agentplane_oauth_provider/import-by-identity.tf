import {
  to = agentplane_oauth_provider.calendar
  identity = {
    provider_id = "calendar"
  }
}
