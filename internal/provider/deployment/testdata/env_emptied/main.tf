variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "environment" {
  type    = map(string)
  default = { TAG = "1.0.0" }
}

# Only the apply finds out what is in it.
resource "terraform_data" "upstream" {
  input = var.environment
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-env-emptied"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }

  environment = terraform_data.upstream.output
}
