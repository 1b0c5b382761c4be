terraform {
  required_providers {
    agentplane = {
      source = "hashicorp/agentplane" # Where the tests of resources offer the provider.
    }
  }
}

variable "project" {
  type = string
}

# The call as it was logged, and its inputs and outputs.
variable "run" {
  type = string
}

variable "inputs" {
  type = string
}

variable "outputs" {
  type = string
}

# The call alone, and the whole trace with it.
data "agentplane_runs" "call" {
  project_name    = var.project
  run_type        = "llm"
  include_content = true
}

data "agentplane_runs" "trace" {
  project_name = var.project
  is_root      = true
}

data "agentplane_tracing_project" "test" {
  name              = var.project
  statistics_window = "10m"
}

locals {
  content  = values(data.agentplane_runs.call.contents)[0]
  messages = jsondecode(local.content.output_messages_json).messages

  logged = { inputs = jsondecode(local.content.input_messages_json).messages, outputs = local.messages }
  read   = { for side, text in { inputs = var.inputs, outputs = var.outputs } : side => provider::agentplane::normalize_messages(text, side) }
  usage  = provider::agentplane::usage(var.run)
}

# The text of the last message.
output "answer" {
  value     = join("", [for block in local.messages[length(local.messages) - 1].content : block.text if block.type == "text"])
  sensitive = true
}

# What the function reads of either side is what the data source has.
output "alike" {
  value = { for side, read in local.read : side => {
    recognized = read.recognized
    json       = jsondecode(read.json).messages == local.logged[side]
    blocks = [for message in read.messages : [for block in message.content : "${message.role} ${block.type} ${block.text == null ? "" : block.text}"]] == [
      for message in local.logged[side] : [for block in message.content : "${message.role} ${block.type} ${lookup(block, "text", "")}"]
    ]
  } }
  sensitive = true
}

output "usage" {
  value = {
    input_tokens         = local.usage.input_tokens
    output_tokens        = local.usage.output_tokens
    total_tokens         = local.usage.total_tokens
    input_token_details  = local.usage.input_token_details
    output_token_details = local.usage.output_token_details
    problems             = length(local.usage.problems)
  }
}
