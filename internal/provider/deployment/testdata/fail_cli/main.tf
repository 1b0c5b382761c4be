variable "delete_tracing_project" {
  type    = bool
  default = null
}

terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "image_uri" {
  default = "registry.example.com/agents/chat:1.0.0"
}

variable "create_timeout" {
  default = "30m"
}

variable "other_timeout" {
  default = "30m"
}

variable "on_failed_create" {
  default = null
}

variable "deletion_protection" {
  type    = bool
  default = null
}

variable "demanded_status" {
  default = null
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-fail-cli"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = var.image_uri
  }

  environment = { LOG_LEVEL = "debug" }
  timeouts    = { create = var.create_timeout, update = var.other_timeout, delete = var.other_timeout }

  on_failed_create    = var.on_failed_create
  deletion_protection = var.deletion_protection

  lifecycle {
    postcondition {
      condition     = var.demanded_status == null || self.latest_revision_status == var.demanded_status
      error_message = "The newest revision is ${coalesce(self.latest_revision_status, "not known")}."
    }
  }
}
