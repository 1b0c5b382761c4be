variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "tag" {
  default = "1.0.0"
}

# Everything that the deployment takes is known only after this has been applied.
resource "terraform_data" "upstream" {
  input = {
    name            = "tf-acc-unknown"
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
    revision_config = { image_uri = "registry.example.com/agents/chat:${var.tag}" }
    environment     = { TAG = var.tag }
    secret          = "s3cret-${var.tag}"
  }
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = terraform_data.upstream.output.name
  source = "external_container"

  source_config = {
    listener_id     = terraform_data.upstream.output.listener_id
    listener_config = terraform_data.upstream.output.listener_config
  }

  source_revision_config = terraform_data.upstream.output.revision_config

  environment = terraform_data.upstream.output.environment
  secrets     = { TOKEN = terraform_data.upstream.output.secret }
}
