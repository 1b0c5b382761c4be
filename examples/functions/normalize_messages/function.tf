terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  # A run that a client logged in the chat-completions format.
  inputs = jsonencode({
    model = "gpt-4o-mini"
    messages = [
      { role = "developer", content = "Answer in one sentence." },
      { role = "user", content = [{ type = "text", text = "Where is my parcel?" }] },
    ]
  })
  read = provider::agentplane::normalize_messages(local.inputs)
}

output "transcript" {
  value = [for message in local.read.messages : "${message.role}: ${message.text}"]
}
