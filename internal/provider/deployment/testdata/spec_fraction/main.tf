variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-spec"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
    resource_spec   = { cpu = 0.5 }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }
}
