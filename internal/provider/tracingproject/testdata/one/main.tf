variable "id" {
  default = null
}

variable "name" {
  default = null
}

variable "deployment_id" {
  default = null
}

data "agentplane_tracing_project" "test" {
  id            = var.id
  name          = var.name
  deployment_id = var.deployment_id
}
