variable "provider_id" {
  default = "tf-acc-calendar"
}

variable "name" {
  default = "Calendar"
}

variable "mcp_server_url" {
  default = null
}

variable "client_id" {
  default = "client-1"
}

variable "client_secret" {
  default   = null
  sensitive = true
}

variable "client_secret_wo" {
  default   = null
  ephemeral = true
}

variable "client_secret_wo_version" {
  default = null
}

variable "auth_url" {
  default = "https://login.example.com/authorize"
}

variable "token_url" {
  default = "https://login.example.com/token"
}

variable "uses_pkce" {
  default = null
}

variable "code_challenge_method" {
  default = null
}

variable "provider_type" {
  default = null
}

variable "token_endpoint_auth_method" {
  default = null
}

variable "authorization_params" {
  type    = map(string)
  default = null
}

variable "allowed_redirect_uris" {
  type    = list(string)
  default = null
}

variable "deletion_protection" {
  default = null
}

variable "workspace_id" {
  default = null
}

resource "agentplane_oauth_provider" "test" {
  workspace_id               = var.workspace_id
  provider_id                = var.provider_id
  name                       = var.name
  mcp_server_url             = var.mcp_server_url
  client_id                  = var.client_id
  client_secret              = var.client_secret
  client_secret_wo           = var.client_secret_wo
  client_secret_wo_version   = var.client_secret_wo_version
  auth_url                   = var.auth_url
  token_url                  = var.token_url
  uses_pkce                  = var.uses_pkce
  code_challenge_method      = var.code_challenge_method
  provider_type              = var.provider_type
  token_endpoint_auth_method = var.token_endpoint_auth_method
  authorization_params       = var.authorization_params
  allowed_redirect_uris      = var.allowed_redirect_uris
  deletion_protection        = var.deletion_protection
}
