terraform {
  required_version = ">= 1.8" # Functions of providers.

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

# Every plan warns when somebody has broken the prompt.
check "prompt" {
  assert {
    condition     = length(local.problems) == 0
    error_message = join("\n", [for p in local.problems : "${p.pointer}: ${p.message} ${p.remedy}"])
  }
}
