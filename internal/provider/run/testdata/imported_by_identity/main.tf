variable "project_id" {}

# What TestAccLLMRun_import has logged, in another spelling.
resource "agentplane_llm_run" "test" {
  project_id  = var.project_id
  name        = "smoke"
  inputs_json = jsonencode({ messages = [{ content = "Hi", role = "user" }], model = "example-large" })
  outputs_json = jsonencode({
    role           = "assistant"
    content        = "Hello"
    usage_metadata = { input_tokens = 20, output_tokens = 10 }
  })

  model_name     = "example-huge"
  model_provider = "example"
  metadata       = { revision = "r1", attempt = "2" }
  tags           = ["smoke", "apply"]

  start_time          = "2026-01-01T11:00:00+01:00"
  duration            = "1500ms"
  time_to_first_token = "0.25s"
}

variable "id" {}

import {
  to = agentplane_llm_run.test
  identity = {
    id = var.id
  }
}
