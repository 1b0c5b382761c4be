variable "deployment_id" {}

variable "status" {
  type    = set(string)
  default = null
}

variable "max_results" {
  default = null
}

data "agentplane_deployment_revisions" "test" {
  deployment_id = var.deployment_id
  status        = var.status
  max_results   = var.max_results
}

output "images" {
  value = data.agentplane_deployment_revisions.test.revisions[*].source_revision_config.image_uri
}
