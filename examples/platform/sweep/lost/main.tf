# A preview whose state is lost, imported so that it can be destroyed.
terraform {
  required_version = ">= 1.7" # Import blocks with expressions, in Terraform and in OpenTofu.

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

variable "pull_request" {
  description = "Number of the pull request."
  type        = number
}

locals {
  preview = "${var.name}-pr-${var.pull_request}"
}

import {
  to = agentplane_deployment.preview
  id = "name:${local.preview}"
}

resource "agentplane_deployment" "preview" {
  name   = local.preview
  source = "external_container"

  source_config          = {}
  source_revision_config = { image_uri = "registry.example.com/ignored" }

  # As in preview.
  delete_tracing_project = var.dialect == "langsmith"

  lifecycle {
    # What the service has.
    ignore_changes = [source, source_config, source_revision_config]
  }
}
