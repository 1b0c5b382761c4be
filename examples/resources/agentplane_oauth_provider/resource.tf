terraform {
  required_version = ">= 1.11" # Write-only arguments.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "client_secret" {
  description = "Secret of the client that is registered at the service."
  type        = string
  sensitive   = true
  ephemeral   = true
}

# The secret is stored neither in the plan nor in the state.
resource "agentplane_oauth_provider" "calendar" {
  provider_id      = "calendar"
  name             = "Calendar"
  client_id        = "agents"
  client_secret_wo = var.client_secret

  auth_url  = "https://login.example.com/authorize"
  token_url = "https://login.example.com/token"
  uses_pkce = true

  authorization_params = {
    access_type = "offline"
    prompt      = "consent"
  }
}

# Also register this at the service.
output "redirect_uri" {
  value = agentplane_oauth_provider.calendar.default_redirect_uri
}
