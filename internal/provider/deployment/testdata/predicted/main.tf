variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "values" {
  description = "Everything that the deployment takes, as JSON."
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = jsondecode(var.values).name
  source = jsondecode(var.values).source

  source_config = {
    integration_id  = jsondecode(var.values).integration_id
    repo_url        = jsondecode(var.values).repo_url
    deployment_type = jsondecode(var.values).deployment_type
    build_on_push   = jsondecode(var.values).build_on_push
    install_command = jsondecode(var.values).install_command
    build_command   = jsondecode(var.values).build_command
    custom_url      = jsondecode(var.values).custom_url
    listener_id     = jsondecode(var.values).listener_id
    listener_config = jsondecode(var.values).listener_config
    resource_spec   = jsondecode(var.values).resource_spec
  }

  source_revision_config = {
    image_uri         = jsondecode(var.values).image_uri
    repo_ref          = jsondecode(var.values).repo_ref
    graph_config_path = jsondecode(var.values).graph_config_path
  }

  environment = jsondecode(var.values).environment
  secrets     = jsondecode(var.values).secrets
  secrets_wo  = jsondecode(var.values).secrets_wo
  triggers    = jsondecode(var.values).triggers

  secrets_wo_version    = jsondecode(var.values).secrets_wo_version
  environment_ownership = jsondecode(var.values).environment_ownership
  wait_for_deployed     = jsondecode(var.values).wait_for_deployed
  display_name          = jsondecode(var.values).display_name
  secret_references     = jsondecode(var.values).secret_references
}
