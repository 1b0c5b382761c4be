terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "model" {
  type = string
}

variable "model_provider" {
  type = string
}

variable "tokens" {
  type = number
}

locals {
  listed = provider::agentplane::default_model_price(var.model, var.model_provider)
  usage  = { model = var.model, input_tokens = var.tokens, output_tokens = 200, start_time = "2026-09-01T00:00:00Z" }
}

output "listed" {
  value = local.listed
}

output "cost" {
  value = local.listed == null ? "none" : provider::agentplane::estimate_cost(local.usage, local.listed.prices).total_cost
}
