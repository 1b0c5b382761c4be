variable "mcp_server_url" {
  default = null
}

variable "name" {
  default = "Tools"
}

variable "authorization_params" {
  type    = map(string)
  default = null
}

variable "client_id" {
  default = null
}

variable "auth_url" {
  default = null
}

variable "token_url" {
  default = null
}

resource "agentplane_oauth_provider" "test" {
  provider_id          = "tf-acc-tools"
  name                 = var.name
  mcp_server_url       = var.mcp_server_url
  client_id            = var.client_id
  auth_url             = var.auth_url
  token_url            = var.token_url
  authorization_params = var.authorization_params
}
