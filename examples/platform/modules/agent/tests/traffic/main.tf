# Runs as the users of an agent would log them.
terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "deployment_id" {
  description = "Deployment whose tracing project gets the runs."
  type        = string
}

variable "model_name" {
  description = "Model that the runs name."
  type        = string
}

variable "error" {
  description = "Error of the runs. Default: they succeed."
  type        = string
  default     = null
}

variable "duration" {
  description = "How long each run took. It ends when it is logged, and has to begin after the rollout of the revision."
  type        = string
  default     = "10ms"
}

resource "agentplane_llm_run" "run" {
  count = 3

  deployment_id = var.deployment_id
  model_name    = var.model_name
  error         = var.error
  duration      = var.duration

  inputs_json = jsonencode({ messages = [{ role = "user", content = "Say hello." }] })
  outputs_json = jsonencode({
    choices        = [{ message = { role = "assistant", content = "Hello!" } }]
    usage_metadata = { input_tokens = 12, output_tokens = 3, total_tokens = 15 }
  })
}
