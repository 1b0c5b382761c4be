terraform {
  required_version = ">= 1.14" # Actions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "invoices" {
  name                   = "invoices"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/invoices:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# Returns to what was deployed before the revision that serves: terraform apply -invoke=action.agentplane_roll_back.previous
action "agentplane_roll_back" "previous" {
  config {
    deployment_id = agentplane_deployment.invoices.id
    to            = "previous"
  }
}

variable "rollback_to" {
  description = "ID of the revision to roll back to."
  type        = string
  default     = null
}

# Returns to a revision: terraform apply -invoke=action.agentplane_roll_back.revision -var rollback_to=ID
action "agentplane_roll_back" "revision" {
  config {
    deployment_id = agentplane_deployment.invoices.id
    revision_id   = var.rollback_to
    timeout       = "15m"
  }
}
