terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  run = jsonencode({
    run_type   = "llm"
    start_time = "2026-05-02T10:00:00.000000Z"
    events     = [{ name = "new_token", time = "2026-05-02T10:00:00.350000Z" }]
  })
}

output "seconds" {
  value = provider::agentplane::time_to_first_token(local.run) # 0.35
}
