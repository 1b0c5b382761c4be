variable "text" {
  default = "Hi"
}

# Its output is known only in the apply.
resource "terraform_data" "late" {
  input = var.text
}

resource "agentplane_llm_run" "test" {
  project_name = terraform_data.late.output == "" ? "none" : "chat"
  name         = "run of ${terraform_data.late.output}"
  inputs_json  = jsonencode({ messages = [{ role = "user", content = terraform_data.late.output }] })
  outputs_json = jsonencode({ role = "assistant", content = terraform_data.late.output })

  model_name          = terraform_data.late.output
  model_provider      = terraform_data.late.output
  metadata            = { text = terraform_data.late.output }
  tags                = [terraform_data.late.output]
  start_time          = terraform_data.late.output == "" ? null : "2026-01-01T10:00:00Z"
  duration            = terraform_data.late.output == "" ? null : "1s"
  time_to_first_token = terraform_data.late.output == "" ? null : "250ms"
  triggers            = { text = terraform_data.late.output }
}
