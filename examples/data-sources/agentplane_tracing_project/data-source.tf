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
  name   = "billing"
  source = "external_container"

  source_config = {
    listener_id = data.agentplane_listener.cluster.id
    listener_config = {
      k8s_namespace = "agents"
    }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/billing:1.4.0"
  }
}

# The tracing project of the deployment, with statistics of the last day.
data "agentplane_tracing_project" "billing" {
  deployment_id     = agentplane_deployment.billing.id
  statistics_window = "24h"
}

check "traces" {
  assert {
    condition     = coalesce(data.agentplane_tracing_project.billing.statistics.error_rate, 0) < 0.05
    error_message = "More than 5 % of the traces of the last day failed."
  }

  assert {
    condition     = coalesce(data.agentplane_tracing_project.billing.statistics.first_token_p99, 0) < 3
    error_message = "The first token takes more than 3 seconds in 1 % of the traces."
  }

  assert {
    condition     = try(data.agentplane_tracing_project.billing.statistics.feedback_scores["correctness"], 1) > 0.8
    error_message = "Evaluators rated fewer than 80 % of the answers as correct."
  }
}

output "tracing_project_id" {
  value = data.agentplane_tracing_project.billing.id
}
