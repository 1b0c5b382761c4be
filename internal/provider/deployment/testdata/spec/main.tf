variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "custom_url" {
  default = null
}

variable "resource_spec" {
  type    = any
  default = null
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-spec"
  source = "external_container"

  source_config = {
    custom_url      = var.custom_url
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
    resource_spec   = var.resource_spec
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }
}
