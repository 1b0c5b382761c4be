variable "listener_id" {}
variable "k8s_namespace" {}

variable "compute_id" {
  default = "tf-acc-cluster"
}

variable "k8s_namespaces" {
  type    = list(string)
  default = ["agents"]
}

variable "deploy_to" {
  type    = list(string)
  default = null
}

locals {
  deploy_to = coalesce(var.deploy_to, var.k8s_namespaces)
}

# Makes the provider look at the listeners before the one below is there.
resource "agentplane_deployment" "elsewhere" {
  name   = "tf-acc-elsewhere"
  source = "external_container"
  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.0.0" }
}

resource "agentplane_listener" "test" {
  compute_id     = var.compute_id
  compute_config = { k8s_namespaces = var.k8s_namespaces }
  depends_on     = [agentplane_deployment.elsewhere]
}

resource "agentplane_deployment" "here" {
  count = length(local.deploy_to)

  name   = "tf-acc-${local.deploy_to[count.index]}"
  source = "external_container"
  source_config = {
    listener_id     = agentplane_listener.test.id
    listener_config = { k8s_namespace = local.deploy_to[count.index] }
  }
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.0.0" }
}
