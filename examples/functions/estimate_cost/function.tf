terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  usage = {
    model               = "gpt-4o-mini"
    input_tokens        = 20
    input_token_details = { cache_read = 5 }
    output_tokens       = 10
  }
  prices = [{
    name                = "small models"
    match_pattern       = "^gpt-4o-mini"
    prompt_cost         = 0.000002 # US dollars per token.
    prompt_cost_details = { cache_read = 0.000001 }
    completion_cost     = 0.000003
  }]
}

output "cost" {
  value = provider::agentplane::estimate_cost(local.usage, local.prices).total_cost # "0.000065"
}
