import {
  to = agentplane_listener.production
  id = "8b1f4c6d-3e2a-4f7b-9d05-1c6e8a2f4b90"
}
