variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "name" {
  default = "tf-acc-fail"
}

variable "image_uri" {
  default = "registry.example.com/agents/chat:1.0.0"
}

variable "custom_url" {
  default = null
}

variable "cpu" {
  type    = number
  default = null
}

variable "environment" {
  type    = map(string)
  default = null
}

variable "triggers" {
  type    = map(string)
  default = null
}

variable "on_failed_create" {
  default = null
}

variable "timeouts" {
  type = object({
    create = optional(string)
    update = optional(string)
    delete = optional(string)
  })
  default = {}
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = var.name
  source = "external_container"

  source_config = {
    custom_url      = var.custom_url
    resource_spec   = var.cpu == null ? null : { cpu = var.cpu }
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = var.image_uri
  }

  environment      = var.environment
  triggers         = var.triggers
  on_failed_create = var.on_failed_create

  timeouts = var.timeouts
}
