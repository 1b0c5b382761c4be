action "agentplane_log_llm_run" "smoke" {
  config {
    project_name        = "chat"
    inputs_json         = jsonencode({ messages = [{ role = "user", content = "Hi" }] })
    outputs_json        = jsonencode({ role = "assistant", content = "Hello", usage_metadata = { input_tokens = 20, output_tokens = 10 } })
    time_to_first_token = "250ms"
  }
}

resource "terraform_data" "release" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.agentplane_log_llm_run.smoke]
    }
  }
}
