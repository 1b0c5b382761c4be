variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "compute_id" {
  default = "one"
}

resource "agentplane_listener" "test" {
  compute_type   = "k8s"
  compute_id     = var.compute_id
  compute_config = { k8s_namespaces = ["agents"] }
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-placed"
  source = "external_container"

  source_config = {
    listener_id     = agentplane_listener.test.id
    listener_config = { k8s_namespace = "agents" }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }
}
