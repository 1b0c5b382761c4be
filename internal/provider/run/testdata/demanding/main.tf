resource "agentplane_llm_run" "test" {
  project_name        = "chat"
  inputs_json         = jsonencode({ messages = [{ role = "user", content = "Hi" }] })
  time_to_first_token = "250ms"
  outputs_json = jsonencode({
    choices        = [{ message = { role = "assistant", content = "Hello" } }]
    usage_metadata = { input_tokens = 20, output_tokens = 10, input_cost = 0.000035, output_cost = 0.00003 }
  })

  lifecycle {
    postcondition {
      condition     = self.status == "success"
      error_message = "The tracing service hasn't processed the run."
    }
  }
}
