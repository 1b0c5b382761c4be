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

resource "agentplane_oauth_provider" "test" {
  provider_id          = "tf-acc-tools"
  name                 = var.name
  mcp_server_url       = var.mcp_server_url
  authorization_params = var.authorization_params
}
