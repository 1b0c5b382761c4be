variable "deployment_id" {}

variable "revision_id" {
  default = null
}

variable "type" {
  default = "deploy"
}

variable "max_lines" {
  default = null
}

data "agentplane_deployment_revision_logs" "test" {
  deployment_id = var.deployment_id
  revision_id   = var.revision_id
  type          = var.type
  max_lines     = var.max_lines
}
