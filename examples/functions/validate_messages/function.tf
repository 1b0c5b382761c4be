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
  problems = provider::agentplane::validate_messages(local.prompt)
}

# Every plan warns if the prompt is invalid.
check "prompt" {
  assert {
    condition     = length(local.problems) == 0
    error_message = join("\n", [for p in local.problems : "${p.pointer}: ${p.message} ${p.remedy}"])
  }
}

# A module that needs native messages demands them.
check "native" {
  assert {
    condition     = length(provider::agentplane::validate_messages(local.prompt, { format = "native" })) == 0
    error_message = "The prompt must be in the native format."
  }
}
