variable "id" {}

variable "name" {
  default = null
}

variable "owner" {
  default = null
}

variable "workspace_id" {
  default = null
}

data "agentplane_integration_repositories" "test" {
  workspace_id   = var.workspace_id
  integration_id = var.id
  name           = var.name
  owner          = var.owner
}
