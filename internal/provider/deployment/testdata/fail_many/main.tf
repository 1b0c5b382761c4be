variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

resource "agentplane_deployment" "test" {
  count = 20

  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-fail-${count.index}"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:${count.index}"
  }

  environment = { NUMBER = count.index }
}
