variable "deployment_id" {}

variable "revision_id" {}

action "agentplane_redeploy_revision" "rollback" {
  config {
    deployment_id = var.deployment_id
    revision_id   = var.revision_id
  }
}

resource "terraform_data" "release" {
  input = var.revision_id

  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.agentplane_redeploy_revision.rollback]
    }
  }
}
