import {
  to = agentplane_oauth_provider.calendar
  id = "calendar"
}
