variable "compute_id" {
  default = "tf-acc-one"
}

variable "deletion_protection" {
  default = false
}

# Where a tracing project would block the name of the replacement.
variable "delete_tracing_project" {
  default = null
}

resource "agentplane_listener" "test" {
  compute_id     = var.compute_id
  compute_config = { k8s_namespaces = ["agents"] }
}

resource "agentplane_deployment" "chat" {
  name                = "tf-acc-chat"
  source              = "external_container"
  wait_for_deployed   = false
  deletion_protection = var.deletion_protection

  delete_tracing_project = var.delete_tracing_project

  source_config = {
    listener_id     = agentplane_listener.test.id
    listener_config = { k8s_namespace = "agents" }
  }
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.0.0" }
}
