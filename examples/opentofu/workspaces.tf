terraform {
  required_version = ">= 1.9" # OpenTofu. Terraform has no for_each of providers.

  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

variable "workspaces" {
  description = "Workspaces by team."
  type        = map(string)
}

variable "closed" {
  description = "Teams whose deployments are to be destroyed. Remove a team from workspaces only after that: its provider is needed until then."
  type        = set(string)
  default     = []
}

locals {
  teams = setsubtract(keys(var.workspaces), var.closed)
}

provider "agentplane" {
  alias    = "team"
  for_each = var.workspaces

  workspace_id = each.value
}

data "agentplane_listener" "cluster" {
  for_each = local.teams
  provider = agentplane.team[each.key]

  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "chat" {
  for_each = local.teams
  provider = agentplane.team[each.key]

  name                   = "chat-${each.key}"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster[each.key].id
    listener_config = { k8s_namespace = "agents" }
  }
}
