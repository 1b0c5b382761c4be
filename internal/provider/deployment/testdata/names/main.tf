variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "image_uri" {
  default = "registry.example.com/agents/chat:1.0.0"
}

# The names of deployments by those of their blocks. With for_each, the test framework couldn't read the state.
variable "names" {
  type = map(string)
}

variable "resource_spec" {
  type    = any
  default = null
}

resource "agentplane_deployment" "a" {
  count = contains(keys(var.names), "a") ? 1 : 0

  delete_tracing_project = var.delete_tracing_project

  name   = var.names["a"]
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

resource "agentplane_deployment" "b" {
  count = contains(keys(var.names), "b") ? 1 : 0

  delete_tracing_project = var.delete_tracing_project

  name   = var.names["b"]
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
