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

resource "agentplane_deployment" "reviewer" {
  name                   = "reviewer"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/reviewer:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# Model calls of the last day that failed or took more than ten seconds.
data "agentplane_runs" "slow" {
  deployment_id = agentplane_deployment.reviewer.id
  run_type      = "llm"
  filter        = "or(neq(error, null), gt(latency, 10))"
  limit         = 20
}

output "slow_runs" {
  value = [for run in data.agentplane_runs.slow.runs : {
    id     = run.id
    status = run.status
    model  = run.model_name
    tokens = run.total_tokens
    cost   = run.total_cost
    first  = run.time_to_first_token_seconds
  }]
}
