terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

resource "agentplane_model_price" "example_large" {
  name            = "example-large"
  match_pattern   = "^example-large$"
  model_provider  = "example"
  prompt_cost     = "2e-6"
  completion_cost = "3e-6"

  prompt_cost_details = {
    cache_read = "1e-6"
  }
}
