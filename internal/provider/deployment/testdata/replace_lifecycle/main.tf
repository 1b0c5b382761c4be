variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "deletion_protection" {
  default = false
}

variable "generation" {
  default = "1"
}

resource "terraform_data" "generation" {
  input = var.generation
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-lifecycle"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.0.0" }
  deletion_protection    = var.deletion_protection

  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.generation]
  }
}
