terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "mcp_server_url" {
  description = "URL of an MCP server whose authorization server lets clients register themselves."
  type        = string
  default     = "https://mcp.example.com/mcp"
}

# The service finds out where users log in, and registers a client there.
resource "agentplane_oauth_provider" "tools" {
  provider_id    = "tools"
  name           = "Tools"
  mcp_server_url = var.mcp_server_url
}

# Register this address where the authorization server asks for it.
output "redirect_uri" {
  value = agentplane_oauth_provider.tools.default_redirect_uri
}
