variable "listener_id" {}
variable "k8s_namespace" {}

variable "api_key" {
  sensitive = true
}

variable "gateway_key" {
  sensitive = true
}

variable "token" {
  sensitive = true
}

provider "agentplane" {
  api_key = var.api_key
  headers = { X-Gateway-Key = var.gateway_key }
}

resource "agentplane_deployment" "test" {
  name   = "tf-acc-secrecy"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }

  secrets = {
    TOKEN = var.token
  }
}
