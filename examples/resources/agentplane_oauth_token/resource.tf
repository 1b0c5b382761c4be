terraform {
  required_version = ">= 1.11" # Write-only arguments.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "access_token" {
  description = "Access token that another system has obtained."
  type        = string
  sensitive   = true
  ephemeral   = true
}

variable "refresh_token" {
  description = "Its refresh token."
  type        = string
  sensitive   = true
  ephemeral   = true
}

resource "agentplane_oauth_provider" "crm" {
  provider_id = "crm"
  name        = "CRM"
  client_id   = "agents"
  auth_url    = "https://crm.example.com/authorize"
  token_url   = "https://crm.example.com/token"
}

# A token that was obtained elsewhere. It is stored neither in the plan nor in the state.
resource "agentplane_oauth_token" "crm" {
  provider_id            = agentplane_oauth_provider.crm.provider_id
  access_token_wo        = var.access_token
  refresh_token_wo       = var.refresh_token
  tokens_wo_version      = 1 # Increase it with new tokens: they replace the old ones.
  expires_in_seconds     = 3600
  scopes                 = ["contacts.read"]
  provider_account_label = "sales@example.com"

  lifecycle {
    create_before_destroy = true # Agents have a token at any time.
  }
}

# It follows the token when that is replaced.
resource "agentplane_agent_connection" "assistant" {
  agent_id       = "assistant"
  oauth_token_id = agentplane_oauth_token.crm.id

  lifecycle {
    create_before_destroy = true
  }
}
