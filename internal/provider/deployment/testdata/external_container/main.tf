variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "suffix" {
  default = ""
}

variable "name" {
  default = "tf-acc-image"
}

variable "image_uri" {
  default = "registry.example.com/agents/chat:1.0.0"
}

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

variable "timeouts" {
  type = object({
    create = optional(string)
    read   = optional(string)
    update = optional(string)
    delete = optional(string)
  })
  default = {}
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "${var.name}${var.suffix}"
  source = "external_container"

  source_config = {
    custom_url      = var.custom_url
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = var.image_uri
  }

  environment = var.environment
  secrets     = var.secrets

  timeouts = var.timeouts
}
