variable "deployment_id" {}

variable "revision_id" {
  default = null
}

variable "type" {
  default = "deploy"
}

variable "start_time" {
  default = null
}

variable "end_time" {
  default = null
}

variable "max_lines" {
  default = null
}

data "agentplane_deployment_revision_logs" "test" {
  deployment_id = var.deployment_id
  revision_id   = var.revision_id
  type          = var.type
  start_time    = var.start_time
  end_time      = var.end_time
  max_lines     = var.max_lines
}
