variable "filter" {
  type = object({
    name            = optional(string)
    name_contains   = optional(string)
    status          = optional(string)
    deployment_type = optional(string)
    image_version   = optional(string)
    ids             = optional(list(string))
    workspace_id    = optional(string)
  })
  default = {}
}

data "agentplane_deployments" "test" {
  name            = var.filter.name
  name_contains   = var.filter.name_contains
  status          = var.filter.status
  deployment_type = var.filter.deployment_type
  image_version   = var.filter.image_version
  ids             = var.filter.ids
  workspace_id    = var.filter.workspace_id
}

output "names" {
  value = data.agentplane_deployments.test.deployments[*].name
}
