variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "name" {
  default = "tf-acc-settings"
}

variable "image_uri" {
  default = "registry.example.com/agents/chat:1.0.0"
}

variable "workspace_id" {
  default = null
}

variable "triggers" {
  type    = map(string)
  default = null
}

variable "wait_for_deployed" {
  type    = bool
  default = null
}

variable "on_failed_create" {
  default = null
}

variable "deletion_protection" {
  type    = bool
  default = null
}

variable "environment_ownership" {
  default = null
}

variable "timeouts" {
  type    = object({ create = optional(string), read = optional(string), update = optional(string), delete = optional(string) })
  default = null
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name         = var.name
  source       = "external_container"
  workspace_id = var.workspace_id

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = var.image_uri
  }

  triggers              = var.triggers
  wait_for_deployed     = var.wait_for_deployed
  on_failed_create      = var.on_failed_create
  deletion_protection   = var.deletion_protection
  environment_ownership = var.environment_ownership
  timeouts              = var.timeouts
}
