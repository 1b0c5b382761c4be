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
    model         = "gpt-4o-mini"
    provider      = "openai"
    input_tokens  = 1000
    output_tokens = 200
  }
  listed = provider::agentplane::default_model_price(local.usage.model, local.usage.provider)
}

output "source" {
  value = "${local.listed.source}, ${local.listed.date}"
}

output "cost" {
  value = provider::agentplane::estimate_cost(local.usage, local.listed.prices).total_cost # "0.00027"
}
