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

resource "agentplane_deployment" "summary" {
  name                   = "summary"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/summary:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# Logs a run after each rollout, to check that runs arrive, are parsed and get a price.
resource "agentplane_llm_run" "smoke" {
  deployment_id  = agentplane_deployment.summary.id
  name           = "smoke-test"
  model_name     = "example-large"
  model_provider = "example"

  inputs_json = jsonencode({
    messages = [{ role = "user", content = "Say hello." }]
  })
  outputs_json = jsonencode({
    choices        = [{ message = { role = "assistant", content = "Hello!" } }]
    usage_metadata = { input_tokens = 12, output_tokens = 3, total_tokens = 15 }
  })
  time_to_first_token = "250ms"
  duration            = "1s"

  # A new revision logs another run.
  triggers = { revision = agentplane_deployment.summary.latest_revision_id }

  lifecycle {
    # Without the postcondition, a run that isn't processed in time is only a warning.
    postcondition {
      condition     = self.status == "success"
      error_message = "The tracing service hasn't processed the smoke test."
    }
  }
}

check "tracing" {
  assert {
    condition     = agentplane_llm_run.smoke.total_tokens == 15
    error_message = "The tracing service reports ${coalesce(agentplane_llm_run.smoke.total_tokens, 0)} tokens for the smoke test, expected 15."
  }
}
