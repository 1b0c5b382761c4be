variable "provider_id" {
  default = null
}

data "agentplane_oauth_provider" "test" {
  provider_id = var.provider_id
}

data "agentplane_oauth_providers" "test" {}
