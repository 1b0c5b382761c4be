variable "listener_id" {}
variable "k8s_namespace" {}

removed {
  from = langsmith_deployment.support
  lifecycle {
    destroy = false
  }
}

resource "langsmith_deployment" "other" {
  name   = "tf-acc-other"
  source = "external_docker"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.0.0" }
}
