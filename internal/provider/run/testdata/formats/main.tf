terraform {
  required_providers {
    agentplane = {
      source = "hashicorp/agentplane" # Where the tests of resources offer the provider.
    }
  }
}

# The inputs and outputs of calls, and the projects into which they were logged.
variable "calls" {
  type = list(object({ project = string, inputs = string, outputs = string }))
}

# The call alone, and the whole trace with it.
data "agentplane_runs" "call" {
  count           = length(var.calls)
  project_name    = var.calls[count.index].project
  run_type        = "llm"
  include_content = true
}

data "agentplane_runs" "trace" {
  count        = length(var.calls)
  project_name = var.calls[count.index].project
  is_root      = true
}

data "agentplane_tracing_project" "test" {
  count             = length(var.calls)
  name              = var.calls[count.index].project
  statistics_window = "10m"
}

locals {
  contents = [for call in data.agentplane_runs.call : values(call.contents)[0]]
  logged = [for content in local.contents : {
    inputs = jsondecode(content.input_messages_json).messages, outputs = jsondecode(content.output_messages_json).messages
  }]
  read = [for call in var.calls : {
    inputs  = provider::agentplane::normalize_messages(call.inputs, "inputs")
    outputs = provider::agentplane::normalize_messages(call.outputs, "outputs")
  }]
  usage = [for call in var.calls : provider::agentplane::usage(
    "{\"run_type\":\"llm\",\"inputs\":${call.inputs},\"outputs\":${call.outputs}}"
  )]
}

# The text of the last message.
output "answer" {
  value = [for logged in local.logged : join("", [
    for block in logged.outputs[length(logged.outputs) - 1].content : block.text if block.type == "text"
  ])]
  sensitive = true
}

# What the function reads of either side is what the data source has.
output "alike" {
  value = [for i, sides in local.read : { for side, read in sides : side => {
    recognized = read.recognized
    json       = jsondecode(read.json).messages == local.logged[i][side]
    blocks = [for message in read.messages : [for block in message.content : "${message.role} ${block.type} ${block.text == null ? "" : block.text}"]] == [
      for message in local.logged[i][side] : [for block in message.content : "${message.role} ${block.type} ${lookup(block, "text", "")}"]
    ]
  } }]
  sensitive = true
}

output "usage" {
  value = [for usage in local.usage : {
    input_tokens         = usage.input_tokens
    output_tokens        = usage.output_tokens
    total_tokens         = usage.total_tokens
    input_token_details  = usage.input_token_details
    output_token_details = usage.output_token_details
    problems             = length(usage.problems)
  }]
}
