variable "generation" {
  type = string
}

variable "method" {
  type = string
}

variable "deletion_protection" {
  type = bool
}

resource "terraform_data" "generation" {
  input = var.generation
}

resource "agentplane_oauth_provider" "test" {
  provider_id                = "tf-acc-calendar"
  name                       = "Calendar"
  client_id                  = "client-1"
  auth_url                   = "https://login.example.com/authorize"
  token_url                  = "https://login.example.com/token"
  token_endpoint_auth_method = var.method
  deletion_protection        = var.deletion_protection

  lifecycle {
    replace_triggered_by = [terraform_data.generation]
  }
}

resource "agentplane_agent_connection" "test" {
  agent_id    = "helper"
  provider_id = agentplane_oauth_provider.test.provider_id
}
