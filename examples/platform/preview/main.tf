# The agent of one pull request. Each has its own Terraform workspace, such as pr-12, and so its own state.
module "agent" {
  source = "../modules/agent"
  count  = var.image == null && var.repository == null ? 0 : 1 # To destroy a preview, only its number is needed.

  name       = "${var.name}-pr-${var.pull_request}"
  image      = var.image
  cluster    = var.repository != null ? null : coalesce(var.cluster, { compute_id = "dev-cluster", namespace = "agents-staging" })
  repository = var.repository
  ref        = var.ref

  environment = { LOG_LEVEL = "debug" }
  secrets     = var.secrets
  limits      = null # A preview has too few traces.

  # The traces go with the preview. LangSmith would keep its name reserved for them.
  delete_tracing_project = var.dialect == "langsmith"
}
