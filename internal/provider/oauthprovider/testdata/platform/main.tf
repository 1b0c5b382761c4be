variable "workspace_id" {
  default = null
}

data "agentplane_platform_oauth_providers" "test" {
  workspace_id = var.workspace_id
}
