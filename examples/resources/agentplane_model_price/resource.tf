terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

# Prices are per token: $2 and $3 per million, and half of that for cached prompts.
resource "agentplane_model_price" "example_large" {
  name           = "example-large"
  match_pattern  = "^example-large(-\\d{4}-\\d{2}-\\d{2})?$"
  model_provider = "example"

  prompt_cost     = "2e-6"
  completion_cost = "3e-6"

  prompt_cost_details = {
    cache_read = "1e-6"
  }
}

# The same model costs more from a certain date. Runs that begin earlier keep the first price.
resource "agentplane_model_price" "example_large_2027" {
  name           = "example-large"
  match_pattern  = agentplane_model_price.example_large.match_pattern
  model_provider = "example"
  start_time     = "2027-01-01T00:00:00Z"

  prompt_cost     = "2.5e-6"
  completion_cost = "3.5e-6"

  prompt_cost_details = {
    cache_read = "1.25e-6"
  }
}
