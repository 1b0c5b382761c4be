variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "image_uri" {
  default = "registry.example.com/agents/chat:1.0.0"
}

# The names of deployments by the keys of their addresses.
variable "names" {
  type = map(string)
}

variable "resource_spec" {
  type    = any
  default = null
}

resource "agentplane_deployment" "test" {
  for_each = var.names

  delete_tracing_project = var.delete_tracing_project

  name   = each.value
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
    resource_spec   = var.resource_spec
  }

  source_revision_config = {
    image_uri = var.image_uri
  }
}
