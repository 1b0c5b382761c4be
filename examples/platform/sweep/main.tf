terraform {
  required_version = ">= 1.5"

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
  description = "Name of the agent."
  type        = string
  default     = "chat"
}

variable "ttl" {
  description = "How long a preview stays after its last change, such as 72h."
  type        = string
  default     = "72h"
}

data "agentplane_deployments" "previews" {
  name_contains = "${var.name}-pr-"
}

locals {
  changed_at = {
    for preview in data.agentplane_deployments.previews.deployments : trimprefix(preview.name, "${var.name}-pr-") => preview.updated_at
    if can(regex("^${var.name}-pr-[0-9]+$", preview.name))
  }
}

output "existing" {
  description = "Numbers of the pull requests that have previews, one a line."
  value       = join("\n", keys(local.changed_at))
}

output "expired" {
  description = "Numbers of the pull requests whose previews are to be destroyed, one a line."
  value = join("\n", [
    for pull_request, changed_at in local.changed_at : pull_request
    if timecmp(timeadd(changed_at, var.ttl), plantimestamp()) <= 0
  ])
}
