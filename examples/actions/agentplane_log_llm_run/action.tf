terraform {
  required_version = ">= 1.14" # Actions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_listener" "cluster" {
  compute_id = "dev-cluster"
}

resource "agentplane_deployment" "triage" {
  name                   = "triage"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/triage:1.4.0" }
  source_config = {
    listener_id     = data.agentplane_listener.cluster.id
    listener_config = { k8s_namespace = "agents" }
  }
}

# Marks each rollout in the tracing project, without storing anything in state.
action "agentplane_log_llm_run" "smoke" {
  config {
    deployment_id       = agentplane_deployment.triage.id
    name                = "smoke-test"
    inputs_json         = jsonencode({ messages = [{ role = "user", content = "Say hello." }] })
    outputs_json        = jsonencode({ role = "assistant", content = "Hello!", usage_metadata = { input_tokens = 12, output_tokens = 3 } })
    time_to_first_token = "250ms"
    duration            = "1s"
  }
}

resource "terraform_data" "rollout" {
  input = agentplane_deployment.triage.latest_revision_id

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.agentplane_log_llm_run.smoke]
    }
  }
}
