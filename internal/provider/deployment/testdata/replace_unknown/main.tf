variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "name" {
  default = "tf-acc-replace"
}

variable "generation" {
  default = "1"
}

# Whatever changes, all of the output is unknown while planning.
resource "terraform_data" "upstream" {
  input = { name = var.name, generation = var.generation, namespace = var.k8s_namespace, cpu = 2 }
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = terraform_data.upstream.output.name
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = terraform_data.upstream.output.namespace }
    resource_spec   = { cpu = terraform_data.upstream.output.cpu }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }

  environment = { NAME = terraform_data.upstream.output.name }
}
