variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}
variable "integration_id" {}

variable "name" {
  default = "tf-acc-validate"
}

variable "source_value" {
  default = "external_container"
}

# What a case adds to, or takes away from, a configuration that is right.
variable "source_config" {
  type    = any
  default = {}
}

variable "source_revision_config" {
  type    = any
  default = {}
}

locals {
  image = var.source_value == "external_container"
  right = {
    listener_id     = local.image ? var.listener_id : null
    listener_config = local.image ? { k8s_namespace = var.k8s_namespace } : null
    integration_id  = local.image ? null : var.integration_id
    repo_url        = local.image ? null : "https://git.example.com/acme/agent"
  }
  right_revision = {
    image_uri         = local.image ? "registry.example.com/agents/chat:1.0.0" : null
    repo_ref          = local.image ? null : "main"
    graph_config_path = local.image ? null : "graph.json"
  }
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name                   = var.name
  source                 = var.source_value
  source_config          = merge(local.right, var.source_config)
  source_revision_config = merge(local.right_revision, var.source_revision_config)
}
