terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_tracing_project" "chat" {
  name = "chat"
}

resource "agentplane_llm_run" "smoke" {
  project_id = data.agentplane_tracing_project.chat.id
  name       = "smoke-test"

  inputs_json         = jsonencode({ messages = [{ role = "user", content = "Say hello." }] })
  outputs_json        = jsonencode({ role = "assistant", content = "Hello!", usage_metadata = { input_tokens = 12, output_tokens = 3 } })
  time_to_first_token = "250ms"
  duration            = "1s"
}
