terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_model_prices" "all" {}

# The entries of the workspace, which override those that come with the service.
output "own_model_prices" {
  value = [for price in data.agentplane_model_prices.all.model_prices : price.name if !price.built_in]
}
