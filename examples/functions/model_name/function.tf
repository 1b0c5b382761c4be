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
    run_type = "llm"
    inputs   = { model = "gpt-4o-mini-2024-07-18" }
    extra    = { metadata = { ls_provider = "openai", ls_model_name = "gpt-4o-mini" } }
  })
}

output "model" {
  value = provider::agentplane::model_name(local.run) # name = "gpt-4o-mini", provider = "openai"
}
