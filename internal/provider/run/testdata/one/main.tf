variable "outputs" {
  default = {
    choices        = [{ message = { role = "assistant", content = "Hello" } }]
    usage_metadata = { input_tokens = 20, output_tokens = 10, input_cost = 0.000035, output_cost = 0.00003 }
  }
}

variable "inputs" {
  default = { messages = [{ role = "user", content = "Hi" }] }
}

variable "triggers" {
  type    = map(string)
  default = null
}

variable "timeouts" {
  type    = object({ create = string })
  default = null
}

variable "project_id" {
  default = null
}

variable "time_to_first_token" {
  default = "250ms"
}

variable "duration" {
  default = null
}

variable "strict" {
  default = null
}

resource "agentplane_llm_run" "test" {
  project_id          = var.project_id
  project_name        = var.project_id == null ? "chat" : null
  inputs_json         = jsonencode(var.inputs)
  outputs_json        = jsonencode(var.outputs)
  time_to_first_token = var.time_to_first_token
  duration            = var.duration
  triggers            = var.triggers
  timeouts            = var.timeouts
  strict              = var.strict
}
