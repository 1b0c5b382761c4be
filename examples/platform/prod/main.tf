# What dev serves: its active revision, because the newest one may still be rolled out, or have failed.
data "agentplane_deployment" "dev" {
  count = local.promotes ? 1 : 0

  name         = "${var.name}-dev"
  workspace_id = var.dev_workspace_id
}

data "agentplane_deployment_revision" "dev" {
  count = local.promotes ? 1 : 0

  deployment_id = data.agentplane_deployment.dev[0].id
  id            = data.agentplane_deployment.dev[0].active_revision_id
  workspace_id  = var.dev_workspace_id

  lifecycle {
    postcondition {
      condition     = self.status == "DEPLOYED"
      error_message = "Dev serves nothing yet: its first rollout is ${self.status}."
    }
  }
}

# The evaluation that a promotion requires: the newest experiment on a dataset, with all of its examples.
data "agentplane_experiment" "dev" {
  count = local.promotes && var.evaluation != null ? 1 : 0

  dataset_name = var.evaluation.dataset
  workspace_id = var.dev_workspace_id

  lifecycle {
    postcondition {
      condition = try(
        self.statistics.run_count >= self.example_count && self.statistics.error_rate == 0 &&
        alltrue([for key, least in var.evaluation.scores : self.statistics.feedback_scores[key] >= least]),
        false,
      )
      error_message = "${self.name} has not passed: ${jsonencode(self.statistics.feedback_scores)}"
    }
  }
}

locals {
  promotes = var.image == null && var.repository == null
  image    = local.promotes ? data.agentplane_deployment_revision.dev[0].source_revision_config.image_uri : var.image

  # What an image needs and a repository doesn't have.
  cluster   = var.repository != null ? null : coalesce(var.cluster, { compute_id = "dev-cluster", namespace = "agents" })
  resources = var.repository != null ? null : coalesce(var.resources, { min_scale = 2, max_scale = 4, cpu = 1, memory_mb = 2048 })
}

# Warns that a pin, such as that of a rollback, still decides what prod deploys.
check "promotion" {
  assert {
    condition     = var.image == null
    error_message = "Prod stays at ${coalesce(var.image, "its image")}, because image is set. To promote what dev serves, remove it."
  }
}

module "agent" {
  source = "../modules/agent"

  name       = var.name
  image      = local.image
  cluster    = local.cluster
  repository = var.repository
  ref        = var.release == null ? null : "refs/tags/${var.release}"

  resources   = local.resources
  environment = { LOG_LEVEL = "info" }
  secrets     = var.secrets
  limits      = var.limits

  deletion_protection = var.deletion_protection
}

# The next release, beside the one that prod serves.
module "candidate" {
  source = "../modules/agent"
  count  = var.candidate == null ? 0 : 1

  name       = "${var.name}-candidate"
  image      = var.candidate.image
  cluster    = local.cluster
  repository = var.repository
  ref        = var.candidate.release == null ? null : "refs/tags/${var.candidate.release}"

  resources   = local.resources
  environment = { LOG_LEVEL = "info" }
  secrets     = var.secrets
  limits      = var.limits

  delete_tracing_project = var.dialect == "langsmith"
}
