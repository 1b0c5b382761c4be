variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "custom_url" {
  default = null
}

variable "environment" {
  type    = map(string)
  default = null
}

variable "secrets" {
  type    = map(string)
  default = null
}

variable "secrets_wo" {
  type      = map(string)
  ephemeral = true
  default   = null
}

variable "secrets_wo_version" {
  type    = number
  default = null
}

variable "environment_ownership" {
  default = null
}

variable "triggers" {
  type    = map(string)
  default = null
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-env"
  source = "external_container"

  source_config = {
    custom_url      = var.custom_url
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }

  environment           = var.environment
  secrets               = var.secrets
  secrets_wo            = var.secrets_wo
  secrets_wo_version    = var.secrets_wo_version
  environment_ownership = var.environment_ownership
  triggers              = var.triggers
}
