# Whether the revision that serves may stay, by the traces that it has logged. If not, watch.sh rolls it back.
terraform {
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

variable "limits" {
  description = "Limits for the traces of the revision that serves: error rate, and average cost in US dollars, which is too low if calls of models have no price. Fewer than min_traces decide nothing."
  type = object({
    min_traces         = optional(number, 20)
    max_error_rate     = optional(number, 0.05)
    max_cost_per_trace = optional(number, 1)
  })
  default = {}
}

data "agentplane_deployment" "watched" {
  name = var.name
}

data "agentplane_deployment_revision" "serving" {
  deployment_id = data.agentplane_deployment.watched.id
  id            = data.agentplane_deployment.watched.active_revision_id
}

data "agentplane_deployment_revisions" "deployed" {
  deployment_id = data.agentplane_deployment.watched.id
  status        = ["DEPLOYED"]
  max_results   = 50
}

data "agentplane_tracing_project" "watched" {
  deployment_id         = data.agentplane_deployment.watched.id
  statistics_start_time = data.agentplane_deployment_revision.serving.updated_at # During the rollout, the earlier revision served.
}

locals {
  traces = data.agentplane_tracing_project.watched.statistics
  cost   = try(tonumber(local.traces.total_cost) / local.traces.run_count, null)

  # Statistics without a value are null, and comparing null is an error.
  enough   = try(local.traces.run_count >= var.limits.min_traces, false)
  failing  = try(local.traces.error_rate > var.limits.max_error_rate, false)
  costly   = try(local.cost > var.limits.max_cost_per_trace, false)
  exceeded = local.enough && (local.failing || local.costly)

  # What each revision deploys, by its ID.
  deployed = {
    for revision in data.agentplane_deployment_revisions.deployed.revisions :
    revision.id => coalesce(revision.source_revision_config.image_uri, revision.source_revision_config.repo_commit_sha)
  }
  serving = data.agentplane_deployment_revision.serving.id
  source  = lookup(local.deployed, local.serving, null)
  others = [
    for revision in data.agentplane_deployment_revisions.deployed.revisions : revision
    if local.deployed[revision.id] != local.source && timecmp(revision.created_at, data.agentplane_deployment_revision.serving.created_at) < 0
  ]

  # What was deployed before, for example by a rollback, isn't rolled back: the cause is somewhere else, and going back and forth wouldn't help.
  is_new   = length([for source in values(local.deployed) : source if source == local.source]) == 1
  previous = local.exceeded && local.is_new ? one(slice(local.others, 0, min(1, length(local.others)))) : null
}

check "traces" {
  assert {
    condition     = !local.exceeded
    error_message = "The traces of ${coalesce(local.source, local.serving)} exceed the limits: error rate ${coalesce(local.traces.error_rate, "unknown")}, ${coalesce(local.cost, "unknown")} USD per trace, in ${coalesce(local.traces.run_count, 0)} traces."
  }
}

output "revision_id" {
  description = "ID of the revision to return to; empty if the one that serves may stay."
  value       = try(local.previous.id, "")
}

output "image" {
  description = "Image of that revision, to pin it in the configuration; empty for a repository."
  value       = try(coalesce(local.previous.source_revision_config.image_uri), "")
}
