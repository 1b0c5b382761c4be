# An emergency rollback by revision, without a plan of everything else:
#
#   terraform apply -invoke=action.agentplane_roll_back.prod
terraform {
  required_version = ">= 1.14" # Actions. OpenTofu has none: set image or release in prod instead.

  required_providers {
    agentplane = {
      source  = "agentplane/agentplane"
      version = "~> 0.1.0"
    }
  }
}

provider "agentplane" {
  dialect = var.dialect
}

variable "dialect" {
  description = "Dialect of the control plane: neutral or langsmith."
  type        = string
  default     = "neutral"
}

variable "name" {
  description = "Name of the deployment."
  type        = string
  default     = "chat"
}

variable "revision_id" {
  description = "ID of the revision to return to. Default: what was deployed before the one that serves."
  type        = string
  default     = null
}

data "agentplane_deployment" "prod" {
  name = var.name
}

action "agentplane_roll_back" "prod" {
  config {
    deployment_id = data.agentplane_deployment.prod.id
    revision_id   = var.revision_id
    to            = var.revision_id == null ? "previous" : null
  }
}
