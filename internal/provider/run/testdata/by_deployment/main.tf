variable "deployment_id" {}

data "agentplane_runs" "test" {
  deployment_id = var.deployment_id
}
