variable "agent_id" {
  type    = string
  default = "helper/1"
}

variable "token_id" {
  type = string
}

resource "agentplane_agent_connection" "test" {
  agent_id       = var.agent_id
  oauth_token_id = var.token_id
}
