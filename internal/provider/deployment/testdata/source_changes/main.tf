variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "integration_id" {}
variable "listener_id" {}
variable "k8s_namespace" {}

variable "source_value" {
  default = "external_container"
}

locals {
  image = var.source_value == "external_container"
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-source"
  source = var.source_value

  source_config = {
    integration_id  = local.image ? null : var.integration_id
    repo_url        = local.image ? null : "https://git.example.com/example-org/chat"
    listener_id     = local.image ? var.listener_id : null
    listener_config = local.image ? { k8s_namespace = var.k8s_namespace } : null
  }

  source_revision_config = {
    repo_ref          = local.image ? null : "main"
    graph_config_path = local.image ? null : "graph.json"
    image_uri         = local.image ? "registry.example.com/agents/chat:1.0.0" : null
  }
}
