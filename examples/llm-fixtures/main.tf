# Outputs about prompts and recorded runs in files. The tests in fixtures.tftest.hcl assert on them: run `terraform test` here.
terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "fixtures" {
  description = "Directory with the fixtures."
  type        = string
  default     = "fixtures"
}

locals {
  prompts = { for file in fileset(path.module, "${var.fixtures}/*.prompt.json") : basename(file) => file("${path.module}/${file}") }
  runs    = { for file in fileset(path.module, "${var.fixtures}/*.run.json") : basename(file) => file("${path.module}/${file}") }

  prices = [{
    name            = "small models"
    match_pattern   = "^gpt-4o-mini"
    prompt_cost     = "0.00000015"
    completion_cost = "0.0000006"
  }]
}

output "problems" {
  description = "Problems of each prompt."
  value       = { for name, prompt in local.prompts : name => provider::agentplane::validate_messages(prompt) }
}

output "runs" {
  description = "Model, tokens, cost and time to first token, in seconds, of each run."
  value = {
    for name, run in local.runs : name => {
      model               = provider::agentplane::model_name(run).name
      total_tokens        = provider::agentplane::usage(run).total_tokens
      total_cost          = provider::agentplane::estimate_cost(provider::agentplane::usage(run), local.prices).total_cost
      time_to_first_token = provider::agentplane::time_to_first_token(run)
    }
  }
}
