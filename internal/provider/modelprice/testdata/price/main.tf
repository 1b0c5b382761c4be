variable "name" {
  default = "example-large"
}

variable "match_pattern" {
  default = "^example-large$"
}

variable "match_path" {
  type    = list(string)
  default = null
}

variable "model_provider" {
  default = null
}

variable "start_time" {
  default = null
}

variable "prompt_token_threshold" {
  default = null
}

variable "prompt_cost" {
  default = "2e-6"
}

variable "completion_cost" {
  default = "0.000003"
}

variable "prompt_cost_details" {
  type    = map(string)
  default = null
}

variable "completion_cost_details" {
  type    = map(string)
  default = null
}

variable "workspace_id" {
  default = null
}

resource "agentplane_model_price" "test" {
  workspace_id            = var.workspace_id
  name                    = var.name
  match_pattern           = var.match_pattern
  match_path              = var.match_path
  model_provider          = var.model_provider
  start_time              = var.start_time
  prompt_token_threshold  = var.prompt_token_threshold
  prompt_cost             = var.prompt_cost
  completion_cost         = var.completion_cost
  prompt_cost_details     = var.prompt_cost_details
  completion_cost_details = var.completion_cost_details
}
