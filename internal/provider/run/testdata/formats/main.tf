variable "project" {
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
  messages = jsondecode(values(data.agentplane_runs.call.contents)[0].output_messages_json).messages
}

# The text of the last message.
output "answer" {
  value     = join("", [for block in local.messages[length(local.messages) - 1].content : block.text if block.type == "text"])
  sensitive = true
}
