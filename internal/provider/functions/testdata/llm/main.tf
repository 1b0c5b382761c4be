terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "run" {
  type = string
}

variable "to" {
  type    = string
  default = "native"
}

# Known only in the apply.
resource "terraform_data" "run" {
  input = var.run
}

locals {
  messages = jsonencode(jsondecode(terraform_data.run.output).outputs)
  usage    = provider::agentplane::usage(terraform_data.run.output)
  seconds  = provider::agentplane::time_to_first_token(terraform_data.run.output)
  cost = provider::agentplane::estimate_cost(local.usage, [
    { name = "small", match_pattern = "^gpt-4o-mini", prompt_cost = 0.000002, completion_cost = "0.000003", prompt_cost_details = { cache_read = 0.000001 } },
    { name = "another", match_pattern = "^claude", provider = "anthropic", prompt_cost = 1, completion_cost = 1 },
  ]).total_cost
}

output "model" {
  value = provider::agentplane::model_name(terraform_data.run.output)
}

output "total_tokens" {
  value = local.usage.total_tokens
}

output "cost" {
  value = local.cost
}

output "seconds" {
  value = local.seconds
}

output "measured" {
  value = [local.usage.total_tokens != null, local.cost != null, local.seconds != null]
}

output "text" {
  value = provider::agentplane::normalize_messages(local.messages).messages[0].text
}

output "problems" {
  value = length(provider::agentplane::validate_messages(local.messages))
}

output "converted" {
  value = provider::agentplane::convert_messages(local.messages, var.to).json
}

# Options are members of an object; null is the default.
output "lossy" {
  value = provider::agentplane::convert_messages(
    jsonencode({ messages = [{ role = "user", content = "Hi" }], max_completion_tokens = 50, seed = 1 }), "messages",
    { side = "inputs", lossy = true }
  )
}

output "demanded" {
  value = provider::agentplane::validate_messages(local.messages, { side = null, format = "native" })[*].rule
}
