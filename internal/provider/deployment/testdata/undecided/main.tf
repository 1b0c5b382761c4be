variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "values" {
  description = "Everything that the deployment takes, as JSON."
}

variable "generation" {
  default = "1"
}

# Whatever changes, all of the output is unknown while planning.
resource "terraform_data" "upstream" {
  input = { values = var.values, generation = var.generation }
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = jsondecode(terraform_data.upstream.output.values).name
  source = jsondecode(terraform_data.upstream.output.values).source

  source_config = {
    integration_id  = jsondecode(terraform_data.upstream.output.values).integration_id
    repo_url        = jsondecode(terraform_data.upstream.output.values).repo_url
    deployment_type = jsondecode(terraform_data.upstream.output.values).deployment_type
    build_on_push   = jsondecode(terraform_data.upstream.output.values).build_on_push
    install_command = jsondecode(terraform_data.upstream.output.values).install_command
    custom_url      = jsondecode(terraform_data.upstream.output.values).custom_url
    listener_id     = jsondecode(terraform_data.upstream.output.values).listener_id
    listener_config = jsondecode(terraform_data.upstream.output.values).listener_config
    resource_spec   = jsondecode(terraform_data.upstream.output.values).resource_spec
  }

  source_revision_config = {
    image_uri         = jsondecode(terraform_data.upstream.output.values).image_uri
    repo_ref          = jsondecode(terraform_data.upstream.output.values).repo_ref
    graph_config_path = jsondecode(terraform_data.upstream.output.values).graph_config_path
  }

  environment = jsondecode(terraform_data.upstream.output.values).environment
  secrets     = { TOKEN = jsondecode(terraform_data.upstream.output.values).token }
  secrets_wo  = jsondecode(terraform_data.upstream.output.values).secrets_wo
  triggers    = jsondecode(terraform_data.upstream.output.values).triggers
}
