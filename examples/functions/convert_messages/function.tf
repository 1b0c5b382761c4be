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

# A request with a tool. What the messages format can't express, here seed, is omitted and listed.
locals {
  request = jsonencode({
    model                 = "gpt-4.1"
    seed                  = 7
    max_completion_tokens = 500
    messages              = [{ role = "user", content = "Where is parcel 17?" }]
    tools = [{
      type = "function"
      function = {
        name       = "track"
        parameters = { type = "object", properties = { parcel = { type = "integer" } } }
      }
    }]
  })
  converted = provider::agentplane::convert_messages(local.request, "messages", { lossy = true })
}

output "request" {
  value = jsondecode(local.converted.json)
}

output "dropped" {
  value = local.converted.dropped
}
