terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "billing" {
  name                   = "billing"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/billing:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# The tracing project of the deployment, with statistics of the last day.
data "agentplane_tracing_project" "billing" {
  deployment_id     = agentplane_deployment.billing.id
  statistics_window = "24h"
}

locals {
  traces = data.agentplane_tracing_project.billing.statistics
}

# Statistics without a value are null. Comparing null is an error, which try makes a failed check.
check "traces" {
  assert {
    condition     = try(local.traces.error_rate < 0.05, false)
    error_message = "At least 5 % of the traces of the last day failed, or it isn't known."
  }

  assert {
    condition     = try(local.traces.latency_p99 < 30, false)
    error_message = "One in a hundred traces of the last day took at least 30 seconds, or it isn't known."
  }

  assert {
    condition     = try(local.traces.feedback_scores["correctness"] > 0.8, false)
    error_message = "Evaluators rated at most 80 % of the answers as correct, or none."
  }
}

output "tracing_project_id" {
  value = data.agentplane_tracing_project.billing.id
}
