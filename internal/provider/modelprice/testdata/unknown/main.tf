variable "generation" {}

variable "prompt_cost" {}

# Its output is known only after the apply.
resource "terraform_data" "price" {
  input = {
    generation = var.generation
    name       = "example-large"
    provider   = "example"
    start      = "2026-06-01T00:00:00Z"
    cost       = var.prompt_cost
    details    = { cache_read = var.prompt_cost }
    path       = ["model"]
  }
}

resource "agentplane_model_price" "test" {
  name                    = terraform_data.price.output.name
  match_pattern           = terraform_data.price.output.name
  match_path              = terraform_data.price.output.path
  model_provider          = terraform_data.price.output.provider
  start_time              = terraform_data.price.output.start
  prompt_cost             = terraform_data.price.output.cost
  completion_cost         = terraform_data.price.output.cost
  prompt_cost_details     = terraform_data.price.output.details
  completion_cost_details = { reasoning = terraform_data.price.output.cost }
}
