variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "secrets_wo_version" {
  type    = number
  default = null
}

variable "image_tag" {
  default = "1.0.0"
}

# Another value whenever it is opened, so in every plan and in every apply.
ephemeral "ticket_value" "short_lived" {}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-env-ticket"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:${var.image_tag}"
  }

  secrets_wo         = { TICKET = ephemeral.ticket_value.short_lived.value }
  secrets_wo_version = var.secrets_wo_version
}
