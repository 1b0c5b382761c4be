data "agentplane_deployment_revision" "newest" {
  count = var.limits == null ? 0 : 1

  deployment_id = agentplane_deployment.agent.id
  id            = agentplane_deployment.agent.latest_revision_id
}

# The traces of the newest revision: those of an earlier one say nothing about it.
data "agentplane_tracing_project" "agent" {
  count = var.limits == null ? 0 : 1

  deployment_id         = agentplane_deployment.agent.id
  statistics_start_time = timecmp(local.deployed, local.window) > 0 ? local.deployed : local.window

  depends_on = [agentplane_llm_run.smoke_test]
}

locals {
  deployed = one(data.agentplane_deployment_revision.newest[*].created_at)
  window   = try(timeadd(plantimestamp(), "-${var.limits.window}"), null)

  traces = one(data.agentplane_tracing_project.agent[*].statistics)

  # Statistics without a value are null, and comparing null is an error: without traces, all of these are false.
  enough     = try(local.traces.run_count >= var.limits.min_traces, false)
  error_rate = try(local.enough && local.traces.error_rate <= var.limits.max_error_rate, false)
  latency    = try(local.enough && local.traces.latency_p99 <= var.limits.max_latency_p99, false)
  # The cost is too low if calls of models have none.
  priced = try(local.traces.unpriced_run_count <= var.limits.max_unpriced, false)
  cost   = try(local.enough && local.priced && tonumber(local.traces.total_cost) <= var.limits.max_cost, false)

  figures = local.traces == null ? "no traces" : join(", ", [
    "${local.traces.run_count} traces",
    "error rate ${coalesce(local.traces.error_rate, "unknown")}",
    "p99 latency ${coalesce(local.traces.latency_p99, "unknown")} s",
    "cost ${coalesce(local.traces.total_cost, "unknown")} USD",
    "${coalesce(local.traces.unpriced_run_count, "an unknown number of")} calls without a cost",
  ])
}

check "error_rate" {
  assert {
    condition     = var.limits == null || local.error_rate
    error_message = "The error rate of ${var.name} exceeds its limit, or isn't known: ${local.figures}."
  }
}

check "latency" {
  assert {
    condition     = var.limits == null || local.latency
    error_message = "The latency of ${var.name} exceeds its limit, or isn't known: ${local.figures}."
  }
}

check "cost" {
  assert {
    condition     = var.limits == null || local.cost
    error_message = "The cost of ${var.name} exceeds its limit, or isn't known: ${local.figures}."
  }
}
