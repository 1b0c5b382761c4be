# The agent as it is on the main branch.
module "agent" {
  source = "../modules/agent"

  name       = "${var.name}-dev"
  image      = var.image
  cluster    = var.repository != null ? null : coalesce(var.cluster, { compute_id = "dev-cluster", namespace = "agents-staging" })
  repository = var.repository
  ref        = var.repository == null ? null : "main"

  environment = { LOG_LEVEL = "debug" }
  secrets     = var.secrets

  # Prices apply to the whole workspace. Prod needs its own if it has another workspace.
  prices = {
    "example-large" = { prompt_cost = "2e-6", completion_cost = "3e-6" }
  }
  smoke_test_model = "example-large"
  limits           = { min_traces = 1 }
}
