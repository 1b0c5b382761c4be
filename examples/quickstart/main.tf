terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# Address, key and workspace come from AGENTPLANE_BASE_URL, AGENTPLANE_API_KEY and AGENTPLANE_WORKSPACE_ID.
provider "agentplane" {}

variable "listener_id" {
  description = "Listener that runs the deployment."
  type        = string
}

variable "k8s_namespace" {
  description = "Namespace of the listener's cluster that the deployment runs in."
  type        = string
}

variable "image" {
  description = "Container image of the agent server."
  type        = string
  default     = "registry.example.com/agents/chat:1.0.0"
}

resource "agentplane_deployment" "chat" {
  name   = "chat"
  source = "external_container"

  source_config = {
    listener_id = var.listener_id
    listener_config = {
      k8s_namespace = var.k8s_namespace
    }
  }

  # A change here rolls out a new revision of the same deployment.
  source_revision_config = {
    image_uri = var.image
  }

  environment = {
    LOG_LEVEL  = "info"
    MODEL_NAME = "example-large"
  }

  # Fails the apply, without a taint, if the creation ended with a warning because the status could not be read.
  lifecycle {
    postcondition {
      condition     = self.latest_revision_status == "DEPLOYED"
      error_message = "Deployment ${self.name} was not rolled out; see the warnings of the apply."
    }
  }
}

# Logs a run of a language model into the deployment's tracing project, for each revision: a smoke test of tracing.
resource "agentplane_llm_run" "smoke" {
  deployment_id = agentplane_deployment.chat.id
  name          = "smoke-test"

  inputs_json = jsonencode({
    model    = "example-large"
    messages = [{ role = "user", content = "Say hello." }]
  })
  outputs_json = jsonencode({
    choices        = [{ message = { role = "assistant", content = "Hello!" } }]
    usage_metadata = { input_tokens = 12, output_tokens = 3, total_tokens = 15 }
  })
  time_to_first_token = "250ms"
  duration            = "1s"

  triggers = { revision = agentplane_deployment.chat.latest_revision_id }
}

# What the tracing service reports about the run.
check "tracing" {
  assert {
    condition     = agentplane_llm_run.smoke.total_tokens == 15
    error_message = "The tracing service reports a different number of tokens than was logged."
  }

  assert {
    condition     = agentplane_llm_run.smoke.time_to_first_token_seconds == 0.25
    error_message = "The tracing service reports a different time to first token than was logged."
  }
}

output "id" {
  value = agentplane_deployment.chat.id
}

output "latest_revision_id" {
  value = agentplane_deployment.chat.latest_revision_id
}

output "status" {
  value = agentplane_deployment.chat.status
}
