variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "values" {
  description = "Everything that the deployment takes, as JSON."
}

variable "generation" {
  description = "Another one makes everything unknown while planning."
  default     = ""
}

resource "terraform_data" "upstream" {
  input = { values = var.values, generation = var.generation }
}

locals {
  values = jsondecode(var.generation == "" ? var.values : terraform_data.upstream.output.values)
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = local.values.name
  source = local.values.source

  source_config = {
    integration_id  = local.values.integration_id
    repo_url        = local.values.repo_url
    deployment_type = local.values.deployment_type
    build_on_push   = local.values.build_on_push
    install_command = local.values.install_command
    build_command   = local.values.build_command
    custom_url      = local.values.custom_url
    listener_id     = local.values.listener_id
    listener_config = local.values.listener_config
    resource_spec   = local.values.resource_spec
  }

  source_revision_config = {
    image_uri         = local.values.image_uri
    repo_ref          = local.values.repo_ref
    graph_config_path = local.values.graph_config_path
  }

  environment = local.values.environment
  secrets     = local.values.secrets
  secrets_wo  = local.values.secrets_wo
  triggers    = local.values.triggers

  secrets_wo_version    = local.values.secrets_wo_version
  environment_ownership = local.values.environment_ownership
  wait_for_deployed     = local.values.wait_for_deployed
  display_name          = local.values.display_name
  route_through_gateway = local.values.route_through_gateway
  deployment_tier       = local.values.deployment_tier
  compute_tier          = local.values.compute_tier
  secret_references     = local.values.secret_references
}
