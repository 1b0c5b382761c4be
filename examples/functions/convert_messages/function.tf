terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  prompt = jsonencode({
    messages = [
      { role = "system", content = [{ type = "text", text = "You help customers." }] },
      { role = "user", content = [{ type = "text", text = "Where is my parcel?" }] },
    ]
  })
}

# The same prompt for models that use the messages format.
output "messages" {
  value = provider::agentplane::convert_messages(local.prompt, "messages").json
}
