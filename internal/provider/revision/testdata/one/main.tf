variable "deployment_id" {}

variable "id" {
  default = null
}

data "agentplane_deployment_revision" "test" {
  deployment_id = var.deployment_id
  id            = var.id
}
