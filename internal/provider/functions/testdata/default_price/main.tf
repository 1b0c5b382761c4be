terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  calls = {
    mini      = { model = "gpt-4o-mini", provider = "openai", tokens = 1000 }
    threshold = { model = "gemini-2.5-pro", provider = "google_genai", tokens = 200000 }
    above     = { model = "gemini-2.5-pro", provider = "google_genai", tokens = 200001 }
    request   = { model = "sonar", provider = "perplexity", tokens = 1000 } # 12 dollars per thousand requests.
    unlisted  = { model = "gpt-4o-mini", provider = "ollama", tokens = 1000 }
  }
  listed = { for name, call in local.calls : name => provider::agentplane::default_model_price(call.model, call.provider) }
}

output "listed" {
  value = local.listed
}

output "costs" {
  value = {
    for name, call in local.calls : name => local.listed[name] == null ? "none" : provider::agentplane::estimate_cost(
      { model = call.model, input_tokens = call.tokens, output_tokens = 200, start_time = "2026-09-01T00:00:00Z" }, local.listed[name].prices,
    ).total_cost
  }
}
