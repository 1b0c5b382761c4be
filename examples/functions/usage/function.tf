terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  # A run whose client logged the model provider's answer unchanged.
  run = jsonencode({
    run_type = "llm"
    inputs   = { model = "gpt-4o-mini" }
    outputs = {
      choices = [{ message = { role = "assistant", content = "On its way." } }]
      usage   = { prompt_tokens = 20, completion_tokens = 10, prompt_tokens_details = { cached_tokens = 5 } }
    }
  })
  usage = provider::agentplane::usage(local.run)
}

check "budget" {
  assert {
    condition     = local.usage.total_tokens <= 100
    error_message = "The run took ${local.usage.total_tokens} tokens."
  }
}
