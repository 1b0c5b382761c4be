variable "id" {
  default = null
}

variable "name" {
  default = null
}

variable "workspace_id" {
  default = null
}

data "agentplane_deployment" "test" {
  id           = var.id
  name         = var.name
  workspace_id = var.workspace_id
}
