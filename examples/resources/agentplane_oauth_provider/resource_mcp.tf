terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "mcp_server_url" {
  description = "URL of an MCP server whose authorization server supports dynamic client registration."
  type        = string
  default     = "https://mcp.example.com/mcp"
}

# The service discovers the authorization server and registers a client there.
resource "agentplane_oauth_provider" "tools" {
  provider_id    = "tools"
  name           = "Tools"
  mcp_server_url = var.mcp_server_url
}

# Register this URL at the authorization server.
output "redirect_uri" {
  value = agentplane_oauth_provider.tools.default_redirect_uri
}
